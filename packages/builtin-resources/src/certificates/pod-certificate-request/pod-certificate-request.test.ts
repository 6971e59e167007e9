import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import type {
  PodCertificateRequest,
  PodCertificateRequestSpec,
  PodCertificateRequestStatus,
} from '@apiserver/api/certificates/v1beta1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { certificateRequests, makeTestCertificate } from '@apiserver/apimachinery/testing';
import type { AuthorizationAttributes, Decision } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { issuedCertificates, rsaProof } from '../../testing/issued-certificates.js';
import { pemContent } from '../../testing/pem-content.js';
import { isEmailAddress } from './email-address.js';
import { podCertificateRequests } from './index.js';
import { podCertificateRequestStrategy as main, podCertificateRequestStatusStrategy } from './strategy.js';

const ISSUED_AT = '2026-01-02T03:04:05Z';
const EXPIRES_AT = '2026-01-03T03:04:05Z';
const user = { name: 'signer', groups: [], extra: {} };
const context = testContext({ namespace: 'ns', user });

const STUB = { stubPKCS10Request: pemContent(certificateRequests.ed25519) };
const NO_STUB = { stubPKCS10Request: null };

function request(
  spec: Partial<PodCertificateRequestSpec> = {},
  status: PodCertificateRequestStatus = {},
): PodCertificateRequest {
  return {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'PodCertificateRequest',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: {
      signerName: 'example.com/signer',
      podName: 'pod',
      podUID: 'p',
      serviceAccountName: 'default',
      serviceAccountUID: 's',
      nodeName: 'node',
      nodeUID: 'n',
      maxExpirationSeconds: 86_400,
      ...STUB,
      ...spec,
    },
    status: structuredClone(status),
  };
}

const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: ISSUED_AT,
});
const conditions = (...types: string[]): PodCertificateRequestStatus => ({
  conditions: types.map((type) => condition(type)),
});
const issued = (changes: Partial<PodCertificateRequestStatus> = {}): PodCertificateRequestStatus => ({
  ...conditions('Issued'),
  certificateChain: issuedCertificates.day,
  notBefore: ISSUED_AT,
  notAfter: EXPIRES_AT,
  beginRefreshAt: '2026-01-02T15:04:05Z',
  ...changes,
});

/** A key and its signature of `data`. */
function proven(
  type: 'ed25519' | 'P-224' | 'P-256' | 'P-384' | 'P-521',
  data = 'p',
): Partial<PodCertificateRequestSpec> {
  const pair =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: CURVES[type] });
  const proof = sign(type === 'ed25519' ? null : 'sha256', Buffer.from(data), pair.privateKey);
  return {
    ...NO_STUB,
    pkixPublicKey: pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    proofOfPossession: proof.toString('base64'),
  };
}
const CURVES = { 'P-224': 'secp224r1', 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };

function spki(type: 'x25519' | 'secp256k1'): string {
  const { publicKey } =
    type === 'x25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ec', { namedCurve: type });
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}
const plain = (pkixPublicKey: string) => ({ ...NO_STUB, pkixPublicKey, proofOfPossession: 'eA==' });

/** A request whose signature does not fit. */
function forgedStub(): string {
  const der = Buffer.from(STUB.stubPKCS10Request, 'base64');
  der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1);
  return der.toString('base64');
}

describe('a new request', () => {
  const unproven = 'spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature';
  const oneOf =
    'spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
  const supported = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA';
  const annotations = 'spec.unverifiedUserAnnotations';
  const large = Buffer.alloc(10_241).toString('base64');

  it.each<[string, Partial<PodCertificateRequestSpec>, string]>([
    ['a stub with an Ed25519 key', {}, ''],
    ['a stub with a P-256 key', { stubPKCS10Request: pemContent(certificateRequests.ecdsa) }, ''],
    [
      'a stub with a short RSA key',
      { stubPKCS10Request: pemContent(certificateRequests.rsa) },
      'spec.stubPKCS10Request: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096',
    ],
    [
      'no stub',
      { stubPKCS10Request: 'eA==' },
      'spec.stubPKCS10Request: Invalid value: "eA==": must be a valid PKCS#10 CSR',
    ],
    ['a forged stub', { stubPKCS10Request: forgedStub() }, 'spec.stubPKCS10Request: Invalid value: invalid signature'],
    [
      'a large stub',
      { stubPKCS10Request: large },
      'spec.stubPKCS10Request: Too long: may not be more than 10240 bytes',
    ],
    ...(['ed25519', 'P-256', 'P-384', 'P-521'] as const).flatMap(
      (type): [string, Partial<PodCertificateRequestSpec>, string][] => [
        [`a proven ${type} key`, proven(type), ''],
        [`a ${type} key with another proof`, proven(type, 'q'), unproven],
      ],
    ),
    ['a proven RSA key', { ...NO_STUB, pkixPublicKey: rsaProof.key, proofOfPossession: rsaProof.proof }, ''],
    ['an RSA key without proof', plain(rsaProof.key), unproven],
    [
      'a P-224 key',
      proven('P-224'),
      'spec.pkixPublicKey: Invalid value: "curve P-224": elliptic public keys must use curve P256 or P384',
    ],
    ['an X25519 key', plain(spki('x25519')), supported],
    ['a key on an unknown curve', plain(spki('secp256k1')), 'must be a valid PKIX-serialized public key'],
    ['no key', plain('eA=='), 'spec.pkixPublicKey: Invalid value: "eA==": must be a valid PKIX-serialized public key'],
    ['a large key', plain(large), 'spec.pkixPublicKey: Too long: may not be more than 10240 bytes'],
    [
      'a large proof',
      { ...plain(rsaProof.key), proofOfPossession: large },
      'spec.proofOfPossession: Too long: may not be more than 10240 bytes',
    ],
    ['neither', NO_STUB, oneOf],
    ['both', { ...proven('ed25519'), ...STUB }, oneOf],
    ['a key alone', { ...NO_STUB, pkixPublicKey: rsaProof.key }, oneOf],
    [
      'no signer',
      { signerName: 'a' },
      'spec.signerName: Invalid value: "a": must be a fully qualified domain and path',
    ],
    ['a short life', { maxExpirationSeconds: 3599 }, 'Invalid value: 3599: must be in the range [3600, 7862400]'],
    ['the longest life', { maxExpirationSeconds: 7_862_400 }, ''],
    [
      'a long life for Kubernetes',
      { signerName: 'a.kubernetes.io/b', maxExpirationSeconds: 86_401 },
      'spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]',
    ],
    ['no UID', { nodeUID: '' }, 'spec.nodeUID: Invalid value: "": must not be empty'],
    ['a long UID', { podUID: 'é'.repeat(65) }, 'spec.podUID: Too long: may not be more than 128 bytes'],
    [
      'a bad name',
      { podName: 'A' },
      'spec.podName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of',
    ],
    ['annotations', { unverifiedUserAnnotations: { 'Example.com/A': 'any text' } }, ''],
    [
      'an annotation without a domain',
      { unverifiedUserAnnotations: { A: '' } },
      `${annotations}: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")`,
    ],
    ['an annotation without a key', { unverifiedUserAnnotations: { '': '' } }, `${annotations}: Required value`],
    [
      'large annotations',
      { unverifiedUserAnnotations: { 'a.b/c': 'x'.repeat(262_140) } },
      `${annotations}: Too long: may not be more than 262144 bytes`,
    ],
  ])('%s', (_name, spec, expected) => {
    const found = aggregateFieldErrors(main.validate(context, request(spec)));
    if (expected === '') expect(found).toBe('');
    else expect(found).toContain(expected);
  });

  it('has no status', async () => {
    const made = request({}, issued());
    await main.prepareForCreate?.(context, made);
    expect(made.status).toEqual({});
  });
});

describe('an update', () => {
  it('keeps the status, and may not change the spec', async () => {
    const old = request({}, conditions('Denied'));
    const changed = request({ podName: 'b' }, issued());
    await main.prepareForUpdate?.(context, changed, old);
    expect(changed.status).toEqual(old.status);
    const found = aggregateFieldErrors(main.validateUpdate(context, changed, old));
    expect(found).toMatch(/^spec: Invalid value: \{"SignerName":"example.com\/signer","PodName":"b",/);
    expect(found).toContain('"PKIXPublicKey":null,');
    expect(found).toMatch(/field is immutable$/);
  });
});

/** The status endpoint of a server at that time, and the questions that its authorizer was asked. */
function statusEndpoint(decide: (name: string) => Decision = () => 'Allow', now = ISSUED_AT) {
  const asked: AuthorizationAttributes[] = [];
  const authorizer = {
    authorize(attributes: AuthorizationAttributes) {
      asked.push(attributes);
      return { decision: decide(attributes.name), reason: '' };
    },
  };
  const strategy = podCertificateRequestStatusStrategy({ authorizer, clock: { now: () => Date.parse(now) } });
  return { strategy, asked };
}

describe('a status', () => {
  const chain = 'status.certificateChain: Invalid value:';
  const { day, other, names, short, long } = issuedCertificates;
  const forever = '9999-12-31T23:59:59Z';
  const endless = makeTestCertificate({
    issuer: makeTestCertificate({ authority: true }),
    publicKey: new X509Certificate(day).publicKey,
    notBefore: new Date(ISSUED_AT),
    notAfter: new Date(forever),
  }).certificate;
  const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const final = 'status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed';
  const pending = 'status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"';

  it.each<[string, PodCertificateRequestStatus, PodCertificateRequestStatus, string]>([
    ['issued', {}, issued(), ''],
    ['issued with a chain', {}, issued({ certificateChain: `${day}text\n${other}` }), ''],
    ['denied', {}, conditions('Denied'), ''],
    ['failed', {}, conditions('Failed'), ''],
    ['issued as before', issued(), issued(), ''],
    ['pending as before', {}, { conditions: [] }, ''],
    ['issued, then denied', issued(), conditions('Denied'), final],
    ['denied, then pending', conditions('Denied'), {}, final],
    ['a certificate without condition', {}, { certificateChain: day }, pending],
    [
      'denied with a certificate',
      {},
      { ...issued(), ...conditions('Denied') },
      'status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest',
    ],
    [
      'two conditions',
      {},
      conditions('Issued', 'Denied'),
      'status.conditions.[1].type: Invalid value: "Denied": There may be at most one condition with type "Issued", "Denied", or "Failed"',
    ],
    [
      'an unknown condition',
      {},
      conditions('Odd'),
      'status.conditions.[0].type: Unsupported value: "Odd": supported values: "Issued", "Denied", "Failed"',
    ],
    [
      'a false condition',
      {},
      { conditions: [condition('Denied', 'False')] },
      'status.conditions.[0].status: Unsupported value: "False": supported values: "True"',
    ],
    [
      'no certificate',
      {},
      issued({ certificateChain: '' }),
      `${chain} "": issued certificate chain must contain at least one certificate`,
    ],
    [
      'another block',
      {},
      issued({ certificateChain: day.replaceAll('CERTIFICATE', 'KEY') }),
      'issued certificate chain must consist entirely of CERTIFICATE PEM blocks',
    ],
    ['garbage', {}, issued({ certificateChain: garbage }), 'leaf certificate does not parse as valid X.509'],
    [
      'a long chain',
      {},
      issued({ certificateChain: ' '.repeat(102_401) }),
      'status.certificateChain: Too long: may not be more than 102400 bytes',
    ],
    [
      'another key',
      {},
      issued({ certificateChain: other }),
      'leaf certificate was not issued to the requested public key',
    ],
    [
      'faulty names',
      {},
      issued({ certificateChain: names }),
      `[${chain} "a..b": leaf certificate's DNSName should not contain '..', ${chain} ".c": leaf certificate's DNSName should not start or end with '.', ${chain} "a@b@c": leaf certificate should not contain invalid EmailAddress]`,
    ],
    [
      'no times',
      {},
      { ...conditions('Issued'), certificateChain: day },
      '[status.notBefore: Required value: must be present and consistent with the issued certificate, status.notAfter: Required value: must be present and consistent with the issued certificate, status.beginRefreshAt: Required value: must be present and in the range [notbefore+10min, notafter-10min]]',
    ],
    [
      'another beginning',
      {},
      issued({ notBefore: '2026-01-02T03:04:06Z' }),
      'status.notBefore: Invalid value: "2026-01-02T03:04:06Z": must be set to the NotBefore time encoded in the leaf certificate',
    ],
    [
      'another end',
      {},
      issued({ notAfter: ISSUED_AT }),
      'status.notAfter: Invalid value: "2026-01-02T03:04:05Z": must be set to the NotAfter time encoded in the leaf certificate',
    ],
    [
      'a short life',
      {},
      issued({ certificateChain: short, notAfter: '2026-01-02T03:34:05Z' }),
      `${chain} 1800000000000: leaf certificate lifetime must be >= 1 hour`,
    ],
    [
      'a long life',
      {},
      issued({ certificateChain: long, notAfter: '2026-01-05T03:04:05Z' }),
      `${chain} 259200000000000: leaf certificate lifetime must be <= spec.maxExpirationSeconds (86400)`,
    ],
    [
      'a life longer than any duration',
      {},
      issued({ certificateChain: endless, notAfter: forever }),
      `${chain} 9223372036854775807: leaf certificate lifetime must be <= spec.maxExpirationSeconds (86400)`,
    ],
    ['the earliest refresh', {}, issued({ beginRefreshAt: '2026-01-02T03:14:05Z' }), ''],
    [
      'an early refresh',
      {},
      issued({ beginRefreshAt: '2026-01-02T03:14:04Z' }),
      'status.beginRefreshAt: Invalid value: "2026-01-02T03:14:04Z": must be at least 10 minutes after status.notBefore',
    ],
    [
      'a late refresh',
      {},
      issued({ beginRefreshAt: '2026-01-03T02:54:06Z' }),
      'status.beginRefreshAt: Invalid value: "2026-01-03T02:54:06Z": must be at least 10 minutes before status.notAfter',
    ],
    [
      'another block after the leaf',
      {},
      issued({ certificateChain: `${day}${day.replaceAll('CERTIFICATE', 'KEY')}` }),
      'issued certificate chain must consist entirely of CERTFICATE PEM blocks',
    ],
    [
      'garbage after the leaf',
      {},
      issued({ certificateChain: `${day}${garbage}` }),
      'intermediate certificate does not parse as valid X.509',
    ],
  ])('%s', (_name, before, status, expected) => {
    const { strategy } = statusEndpoint();
    const found = aggregateFieldErrors(strategy.validateUpdate(context, request({}, status), request({}, before)));
    if (expected === '') expect(found).toBe('');
    else expect(found).toContain(expected);
  });

  it.each([
    ['2026-01-02T03:09:04Z', ''],
    ['2026-01-02T02:59:06Z', ''],
    ['2026-01-02T03:09:05Z', "must be set to within 5 minutes of kube-apiserver's current time"],
    ['2026-01-02T02:59:05Z', "must be set to within 5 minutes of kube-apiserver's current time"],
  ])('begins about now: %s', (now, expected) => {
    const { strategy } = statusEndpoint(undefined, now);
    const found = aggregateFieldErrors(strategy.validateUpdate(context, request({}, issued()), request()));
    if (expected === '') expect(found).toBe('');
    else expect(found).toContain(expected);
  });

  it('changes neither spec nor labels', async () => {
    const changed = request({ podName: 'b' }, conditions('Denied'));
    changed.metadata.labels = { a: 'b' };
    await statusEndpoint().strategy.prepareForUpdate?.(context, changed, request());
    expect(changed).toEqual(request({}, conditions('Denied')));
  });
});

describe('the permission to sign', () => {
  const validate = (
    { strategy }: ReturnType<typeof statusEndpoint>,
    status: PodCertificateRequestStatus,
    by = context,
  ) => strategy.validateInTurns?.(by, request({}, status), request(), []) ?? [];

  it.each(['example.com/signer', 'example.com/*'])('on %s is enough', async (granted) => {
    const endpoint = statusEndpoint((name) => (name === granted ? 'Allow' : 'NoOpinion'));
    expect(await validate(endpoint, conditions('Denied'))).toEqual([]);
    expect(endpoint.asked[0]).toMatchObject({ user, verb: 'sign', resource: 'signers', name: 'example.com/signer' });
  });

  it('is required for every change', async () => {
    const endpoint = statusEndpoint(() => 'NoOpinion');
    expect(aggregateFieldErrors(await validate(endpoint, conditions('Denied')))).toBe(
      'spec.signerName: Forbidden: User "signer" is not permitted to "sign" for signer "example.com/signer"',
    );
    expect(await validate(endpoint, { conditions: [] })).toEqual([]);
  });

  it('needs a user', async () => {
    const found = await validate(statusEndpoint(), conditions('Denied'), testContext({ namespace: 'ns' }));
    expect(aggregateFieldErrors(found)).toBe(
      'spec.signerName: Internal error: cannot determine calling user to perform "sign" check',
    );
  });
});

it.each<[string, string, PodCertificateRequestStatus]>([
  ['', 'Pending', {}],
  ['example.com/a=b,example.com/c=d', 'Issued', issued()],
  ['', 'Denied', { conditions: [condition('Denied', 'False')] }],
])('columns %#', (annotations, state, status) => {
  const pairs = annotations.split(',').filter(Boolean);
  const unverifiedUserAnnotations = Object.fromEntries(pairs.map((pair) => pair.split('=')));
  const clock = { now: () => 0 };
  const { columns } = podCertificateRequests({
    authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
    clock,
  });
  const shown = columns.map(({ name, cell }) => [
    name,
    cell(request({ unverifiedUserAnnotations }, status), rowTime(0)),
  ]);
  expect(Object.fromEntries(shown)).toEqual({
    Name: 'a',
    PodName: 'pod',
    ServiceAccountName: 'default',
    NodeName: 'node',
    SignerName: 'example.com/signer',
    State: state,
    UnverifiedUserAnnotations: annotations || '<none>',
  });
});

it.each([
  ['jane@example.com', true],
  ['"jane doe"@example.com', true],
  ['jane@b@c', false],
  ['.jane@example.com', false],
  ['jane', false],
  ['', false],
])('address %s', (text, expected) => {
  expect(isEmailAddress(text)).toBe(expected);
});
