import { makeTestCertificate } from '@apiserver/authentication/testing';
import { type HostileCase, MIB, sending } from '../hostile-case.ts';

const GROUP = '/apis/certificates.k8s.io';
const REQUESTS = `${GROUP}/v1/certificatesigningrequests`;

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');

/** Lines of 64 characters, as in PEM. */
function pem(type: string, bytes: Uint8Array): string {
  const lines = base64(bytes).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}

/** A sequence in a sequence, and so on; the innermost one is empty. */
function nested(depth: number): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (let level = 0; level < depth; level++) {
    const head = Buffer.from([0x30, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff]);
    parts.push(head);
    length += head.length;
  }
  return Buffer.concat(parts.reverse());
}

/** Empty elements side by side in one sequence. */
function flat(count: number): Buffer {
  const content = Buffer.alloc(2 * count);
  for (let at = 0; at < content.length; at += 2) content[at] = 0x30;
  const { length } = content;
  return Buffer.concat([Buffer.from([0x30, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff]), content]);
}

function request(name: string, text: string) {
  const spec = { request: base64(text), signerName: 'example.com/hostile', usages: ['digital signature'] };
  return JSON.stringify({ metadata: { name }, spec });
}

const posting = (text: () => string): Pick<HostileCase, 'request' | 'status' | 'maxResponse'> => ({
  request: (name) => sending('POST', REQUESTS, 'json', request(name, text())),
  status: 422,
  // A refusal contains the refused value.
  maxResponse: 6 * MIB,
});

let chain: string | undefined;
/** A certificate again and again, as many times as fit. */
function certificates(bytes: number): string {
  const { certificate } = makeTestCertificate({ commonName: 'a', authority: true });
  chain ??= certificate;
  return chain.repeat(Math.floor(bytes / chain.length));
}

const VALID = 'hostile-request';
const CERTIFICATE_REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIHGMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BLKpeMzYwTbFx4XSGZpFTf45H/71gJvQysalEF8uMQZPTamE+16AAsBxlDgPP/pt
jJBxZc8HeSvkdtwOpHmpHDqgADAKBggqhkjOPQQDAgNIADBFAiALsuwj5DMjTIzJ
9ZTsiE0Lkj77xYORmsWGnQG+EFqkmAIhALuO3GlOqqfaooLozShZHcnxuTSRU4pD
j2QcOB5BCyt6
-----END CERTIFICATE REQUEST-----
`;

/** Requests for certificates, and certificates, that are large, deep or many. */
export const CERTIFICATE_CASES: readonly HostileCase[] = [
  { name: 'a request of nested sequences', ...posting(() => pem('CERTIFICATE REQUEST', nested(200_000))) },
  { name: 'a request of empty sequences', ...posting(() => pem('CERTIFICATE REQUEST', flat(700_000))) },
  { name: 'a request of other blocks', ...posting(() => pem('X', Buffer.of(1)).repeat(30_000)) },
  { name: 'a request of lines', ...posting(() => `-----BEGIN X-----\n${'a: b\n'.repeat(300_000)}`) },
  { name: 'a request of beginnings', ...posting(() => '-----BEGIN X-----\n'.repeat(90_000)) },
  {
    name: 'a status of certificates',
    before: [sending('POST', REQUESTS, 'json', request(VALID, CERTIFICATE_REQUEST))],
    request: () =>
      sending(
        'PATCH',
        `${REQUESTS}/${VALID}/status`,
        'merge',
        JSON.stringify({ status: { certificate: base64(certificates(2 * MIB)) } }),
      ),
    maxResponse: 4 * MIB,
  },
  {
    name: 'a bundle of certificates',
    request: (name) =>
      sending(
        'POST',
        `${GROUP}/v1beta1/clustertrustbundles`,
        'json',
        JSON.stringify({ metadata: { name }, spec: { trustBundle: certificates(MIB - 1_024) } }),
      ),
    maxResponse: 4 * MIB,
  },
];
