import { makeTestCertificate } from '@apiserver/authentication/testing';
import { CONFIG_MAPS, type HostileCase, MAX_BODY, MIB, repeated, sending } from '../hostile-case.ts';

const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const PODS = '/api/v1/namespaces/default/pods';

/** A pod whose container has this name. */
function podNamed(name: string): string {
  return JSON.stringify({ metadata: { name: 'lines' }, spec: { containers: [{ name, image: 'i' }] } });
}

/** A quota whose only amount is a text. */
function amount(text: () => string): Pick<HostileCase, 'request' | 'maxResponse'> {
  return {
    request: (name) =>
      sending('POST', QUOTAS, 'json', JSON.stringify({ metadata: { name }, spec: { hard: { pods: text() } } })),
    // A refusal contains the refused value.
    maxResponse: 4 * MAX_BODY,
  };
}

const LONGEST = MAX_BODY - 1_024;

/** Amounts that take long to read. */
export const AMOUNT_CASES: readonly HostileCase[] = [
  { name: 'millions of digits', ...amount(() => '9'.repeat(LONGEST)) },
  { name: 'millions of digits behind the point', ...amount(() => `0.${'9'.repeat(LONGEST)}`) },
  { name: 'millions of digits with a binary suffix', ...amount(() => `${'9'.repeat(LONGEST)}Ei`) },
  { name: 'a huge exponent', ...amount(() => '1e2147483647') },
  { name: 'a tiny exponent', ...amount(() => '1e-2147483648') },
  { name: 'an exponent of millions of digits', ...amount(() => `1e${'9'.repeat(LONGEST)}`) },
  { name: 'millions of zeros and an exponent', ...amount(() => `1${'0'.repeat(LONGEST)}e-2900000`) },
  { name: 'zeros before a digit', ...amount(() => `${'0'.repeat(LONGEST)}1`) },
  {
    name: 'many amounts of 40 digits',
    request: (name) =>
      sending(
        'POST',
        QUOTAS,
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"hard":{${repeated((i) => `"requests.example.com/r${i}":"${'9'.repeat(40)}.123e-3"`, 4_096)}}}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'a replica count of millions of digits',
    request: (name) =>
      sending(
        'POST',
        '/apis/apps/v1/namespaces/default/deployments',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"replicas":${'9'.repeat(LONGEST)}}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'a port of millions of digits',
    request: (name) =>
      sending(
        'POST',
        '/api/v1/namespaces/default/services',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"ports":[{"port":80,"targetPort":"${'9'.repeat(LONGEST)}"}]}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'a time of millions of digits',
    request: (name) =>
      sending(
        'POST',
        '/apis/coordination.k8s.io/v1/namespaces/default/leases',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"renewTime":"2026-01-01T00:00:00.${'9'.repeat(LONGEST)}Z"}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'a time of line ends in a merge patch',
    before: [sending('POST', CONFIG_MAPS, 'json', '{"metadata":{"name":"timed"}}')],
    request: () => {
      const metadata = { creationTimestamp: '\n'.repeat(LONGEST / 2) };
      return sending('PATCH', `${CONFIG_MAPS}/timed`, 'merge', JSON.stringify({ metadata }));
    },
    status: 422,
    maxResponse: MAX_BODY,
  },
  {
    name: 'a name of a container of line ends in an update',
    before: [
      sending('POST', '/api/v1/namespaces/default/serviceaccounts', 'json', '{"metadata":{"name":"default"}}'),
      sending('POST', PODS, 'json', podNamed('a')),
    ],
    request: () => sending('PUT', `${PODS}/lines`, 'json', podNamed('\n'.repeat(LONGEST / 2))),
    status: 422,
    maxResponse: MAX_BODY,
  },
  {
    name: 'source ranges of a service',
    request: (name) =>
      sending(
        'POST',
        '/api/v1/namespaces/default/services',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"type":"LoadBalancer","ports":[{"port":80}],"loadBalancerSourceRanges":[${repeated((i) => `"2001:db8:${(i >> 8).toString(16)}::${(i & 255).toString(16)}:0/112"`, MAX_BODY / 2)}]}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'excepted blocks of a network policy',
    request: (name) =>
      sending(
        'POST',
        '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"podSelector":{},"ingress":[{"from":[{"ipBlock":{"cidr":"10.0.0.0/8","except":[${repeated((i) => `"10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}/32"`, MAX_BODY / 2)}]}}]}]}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'hosts of an ingress',
    request: (name) =>
      sending(
        'POST',
        '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"tls":[{"hosts":[${repeated((i) => `"*.h${i}.example.com"`, MAX_BODY / 2)}]}]}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
  {
    name: 'requirements of a node affinity',
    request: (name) =>
      sending(
        'POST',
        '/api/v1/namespaces/default/pods',
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[${repeated((i) => `{"key":"k${i}","operator":"Gt","values":["${i}"]}`, MAX_BODY / 2)}]}]}}}}}`,
      ),
    maxResponse: 4 * MAX_BODY,
  },
];

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
  return element(0x30, content);
}

/** An element whose length is as short as it can be. */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes = [length >> 16, (length >> 8) & 0xff, length & 0xff];
  const digits = length < 0x100 ? bytes.slice(2) : length < 0x10000 ? bytes.slice(1) : bytes;
  const head = length < 0x80 ? [length] : [0x80 + digits.length, ...digits];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

/** A positive, odd integer. */
function integer(bytes: number): Buffer {
  const content = Buffer.alloc(bytes, 0xab);
  content[0] = 0x7f;
  return element(0x02, content);
}

/** A key of DSA without its public half, whose computation takes minutes. */
function keyOfLongNumbers(): Buffer {
  const parameters = element(0x30, integer(1_250), integer(20), integer(1_250));
  const algorithm = element(0x30, Buffer.from('06072a8648ce380401', 'hex'), parameters);
  return element(0x30, element(0x02, Buffer.of(0)), algorithm, element(0x04, integer(100_000)));
}

/** A secret with a certificate, and the given key. */
const withKey = (key: () => Uint8Array): Pick<HostileCase, 'request' | 'status'> => ({
  request: (name) => {
    const data = { 'tls.crt': base64(certificates(1_024)), 'tls.key': base64(pem('PRIVATE KEY', key())) };
    const secret = { metadata: { name }, type: 'kubernetes.io/tls', data };
    return sending('POST', '/api/v1/namespaces/default/secrets', 'json', JSON.stringify(secret));
  },
  status: 201,
});

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
    status: 422,
    maxResponse: 4 * MIB,
  },
  { name: 'a key of long numbers', ...withKey(keyOfLongNumbers) },
  { name: 'a key of nested sequences', ...withKey(() => nested(100_000)) },
  { name: 'a key of empty sequences', ...withKey(() => flat(300_000)) },
  { name: 'a key that is no DER', ...withKey(() => Buffer.from('key')) },
];
