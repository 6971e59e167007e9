import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from '@apiserver/api/certificates/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { certificateRequests } from '@apiserver/apimachinery/testing';
import { formatPemBlock, readPemBlock } from '@apiserver/apimachinery/x509';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { certificateSigningRequests } from './index.js';
import { certificateSigningRequestStrategies } from './strategy.js';
import { furtherUpdateErrors } from './update-validation.js';

const NOW = '2026-01-02T03:04:05Z';
const strategies = certificateSigningRequestStrategies({ now: () => Date.parse(NOW) });
const context = testContext({ namespace: '' });
const base64 = (text: string) => Buffer.from(text).toString('base64');

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBLjCB4aADAgECAhQ7frPYGBGqJENO1EgxsF4ulSXsYjAFBgMrZXAwDDEKMAgG
A1UEAwwBYzAgFw0yNjExMjIwNzE1MDJaGA8yMTI2MTAyOTA3MTUwMlowDDEKMAgG
A1UEAwwBYzAqMAUGAytlcAMhAH+O5siat/cn20ORKH4w0GU2abq23/hhIAVdExlW
qORzo1MwUTAdBgNVHQ4EFgQUdASyeAf9kjRE/zWDQcacELVWIaUwHwYDVR0jBBgw
FoAUdASyeAf9kjRE/zWDQcacELVWIaUwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
QQBxJhhzAn5oDa9txxWN/VHTeC0S/UgGhoiDiz7l7VXV3enhZLuN3cZjfUxV8Ra3
gNehGnTZwyafB65EpUPoiYYB
-----END CERTIFICATE-----
`;

const PEM_OF_NULL = formatPemBlock({ type: 'CERTIFICATE', bytes: Uint8Array.of(5, 0) });

/** Concatenates the contents of PEM blocks. */
function inOneBlock(...pems: readonly string[]): string {
  const bytes = pems.flatMap((pem) => [...(readPemBlock(pem)?.bytes ?? [])]);
  return formatPemBlock({ type: 'CERTIFICATE', bytes: Uint8Array.from(bytes) });
}

function request(
  spec: Partial<CertificateSigningRequestSpec> = {},
  status: CertificateSigningRequestStatus = {},
): CertificateSigningRequest {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    spec: {
      request: base64(certificateRequests.ecdsa),
      signerName: 'example.com/signer',
      usages: ['client auth'],
      ...structuredClone(spec),
    },
    status: structuredClone(status),
  };
}

const condition = (type: string, changes: Partial<CertificateSigningRequestCondition> = {}) => ({
  type,
  status: 'True',
  lastUpdateTime: '2020-01-01T00:00:00Z',
  lastTransitionTime: '2020-01-01T00:00:00Z',
  ...changes,
});
const conditions = (...types: string[]): CertificateSigningRequestStatus => ({
  conditions: types.map((type) => condition(type)),
});

async function faultOfUpdate(
  strategy: Strategy<CertificateSigningRequest>,
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
): Promise<string> {
  const first = strategy.validateUpdate(context, object, old);
  const further = (await strategy.validateInTurns?.(context, object, old, first)) ?? [];
  return aggregateFieldErrors([...first, ...further]);
}

const faultOfNew = (object: CertificateSigningRequest) =>
  aggregateFieldErrors(strategies.main.validate(context, object));

describe('a new request', () => {
  it('sets the requesting user, whatever was sent', async () => {
    const user = { name: 'jane', uid: 'u1', groups: ['g'], extra: { k: ['v'] } };
    const made = request({ username: 'forged', uid: 'f', groups: ['f'], extra: { f: ['f'] } }, conditions('Approved'));
    await strategies.main.prepareForCreate?.({ ...context, user }, made);
    expect(made.spec).toEqual({ ...request().spec, username: 'jane', uid: 'u1', groups: ['g'], extra: { k: ['v'] } });
    expect(made.status).toEqual({});
  });

  const form = `must be a fully qualified domain and path of the form 'example.com/signer-name'`;
  const label = (name: string) => `validating label "${name}": a lowercase RFC 1123 label must consist of`;
  it.each<[string, Partial<CertificateSigningRequestSpec>, string]>([
    ['the smallest', {}, ''],
    ['every key', { request: base64(certificateRequests.rsa) }, ''],
    ['no request', { request: null }, 'spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST'],
    [
      'an empty request',
      { request: '' },
      'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST',
    ],
    ['no usages', { usages: [] }, 'spec.usages: Required value'],
    [
      'an unknown usage',
      { usages: ['<fly'] },
      'spec.usages[0]: Unsupported value: "\\u003cfly": supported values: "any", "cert sign"',
    ],
    ['an unknown usage twice', { usages: ['<fly', '<fly'] }, 'spec.usages[1]: Duplicate value: "\\u003cfly"'],
    ['a usage twice', { usages: ['any', 'any'] }, 'spec.usages[1]: Duplicate value: "any"'],
    ['no signer', { signerName: '' }, `[spec.signerName: Required value, spec.signerName: Invalid value: "": ${form}]`],
    ['a signer without path', { signerName: 'a.b' }, `spec.signerName: Invalid value: "a.b": ${form}`],
    ['two slashes', { signerName: 'a.b/c/d' }, `spec.signerName: Invalid value: "a.b/c/d": ${form}`],
    ['bad labels', { signerName: 'A.b/c' }, `spec.signerName: Invalid value: "A.b": ${label('A')}`],
    [
      'a short domain',
      { signerName: 'a/c' },
      'spec.signerName: Invalid value: "a": should be a domain with at least two segments separated by dots',
    ],
    [
      'a bad path',
      { signerName: 'a.b/C' },
      'spec.signerName: Invalid value: "C": validating label "C": a lowercase RFC 1123',
    ],
    [
      'an odd label',
      { signerName: 'a.\u0001/c' },
      'validating label "\\x01": a lowercase RFC 1123 label must consist of',
    ],
    [
      'a long domain',
      { signerName: `${'a.'.repeat(127)}b/c` },
      'spec.signerName: Too long: may not be more than 253 bytes',
    ],
    [
      'a domain that is long in bytes',
      { signerName: `${'é'.repeat(127)}.b/c` },
      'spec.signerName: Too long: may not be more than 253 bytes',
    ],
    [
      'the legacy signer',
      { signerName: 'kubernetes.io/legacy-unknown' },
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
    [
      'a short life',
      { expirationSeconds: 599 },
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
    ],
    ['a life', { expirationSeconds: 600 }, ''],
  ])('%s', (_name, spec, expected) => {
    const found = faultOfNew(request(spec));
    if (expected === '') expect(found).toBe('');
    else expect(found).toContain(expected);
  });
});

describe('an update', () => {
  it('changes neither the request nor the certificate', async () => {
    const old = request({}, { ...conditions('Approved'), certificate: base64(CERTIFICATE) });
    const changed = request({ usages: ['any'] });
    await strategies.main.prepareForUpdate?.(context, changed, old);
    expect(changed).toEqual(old);
  });

  it('changes the request only at the main endpoint, and the certificate only at the status endpoint', async () => {
    const old = request({}, { ...conditions('Approved'), certificate: 'eA==' });
    const approved = request({ usages: ['any'] }, { ...conditions('Denied'), certificate: 'eQ==' });
    const reviewed = structuredClone(approved);
    await strategies.approval.prepareForUpdate?.(context, approved, old);
    expect(approved).toEqual(request({}, { ...conditions('Denied'), certificate: 'eA==' }));
    await strategies.status.prepareForUpdate?.(context, reviewed, old);
    expect(reviewed).toEqual(request({}, { ...conditions('Denied'), certificate: 'eQ==' }));
  });

  it('keeps decisions at the status endpoint, unless their number changes', async () => {
    const old = request({}, conditions('Approved', 'Failed', 'Approved'));
    const changed = (type: string) => condition(type, { reason: 'r' });
    const write = request({}, { conditions: [changed('Failed'), changed('Approved'), changed('Approved')] });
    await strategies.status.prepareForUpdate?.(context, write, old);
    expect(write.status.conditions).toEqual([changed('Failed'), condition('Approved'), condition('Approved')]);
    const removal = request({}, { conditions: [changed('Approved')] });
    await strategies.status.prepareForUpdate?.(context, removal, old);
    expect(removal.status.conditions).toEqual([changed('Approved')]);
    expect(strategies.status.resetFields).toEqual(['spec', 'status.conditions']);
  });

  it('sets timestamps of conditions', async () => {
    const old = request({}, conditions('Approved', 'Failed'));
    const undated = { lastUpdateTime: null, lastTransitionTime: null };
    const changed = request(
      {},
      { conditions: [condition('Approved', undated), condition('Failed', { ...undated, status: 'False' })] },
    );
    await strategies.approval.prepareForUpdate?.(context, changed, old);
    expect(changed.status.conditions).toMatchObject([
      { lastUpdateTime: NOW, lastTransitionTime: '2020-01-01T00:00:00Z' },
      { lastUpdateTime: NOW, lastTransitionTime: NOW },
    ]);
  });

  const at = 'status.conditions: Forbidden: updates may not';
  const certificate = 'status.certificate: Invalid value: "<certificate data>":';
  const issued = (pem: string): CertificateSigningRequestStatus => ({ certificate: base64(pem) });
  type Endpoint = keyof typeof strategies;
  it.each<[string, Endpoint, CertificateSigningRequestStatus, CertificateSigningRequestStatus, string]>([
    ['approval', 'approval', {}, conditions('Approved'), ''],
    ['approval elsewhere', 'status', {}, conditions('Approved'), `${at} add a condition of type "Approved"`],
    ['failure', 'status', {}, conditions('Failed'), ''],
    ['a removed failure', 'status', conditions('Failed'), {}, `${at} remove a condition of type "Failed"`],
    ['a removed approval', 'approval', conditions('Approved'), {}, `${at} remove a condition of type "Approved"`],
    [
      'another reason',
      'status',
      conditions('Approved'),
      { conditions: [condition('Approved', { reason: 'r' })] },
      `${at} modify a condition of type "Approved"\n@@`,
    ],
    [
      'a long message',
      'status',
      conditions('Approved'),
      { conditions: [condition('Approved', { message: '\n'.repeat(600 * 1_024) })] },
      `${at} modify a condition of type "Approved"\n(the difference is too long to be printed)`,
    ],
    [
      'another reason by who approves',
      'approval',
      conditions('Approved'),
      { conditions: [condition('Approved', { reason: 'r' })] },
      '',
    ],
    [
      'both decisions',
      'approval',
      conditions('Approved'),
      conditions('Approved', 'Denied'),
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ],
    [
      'both, as before',
      'status',
      conditions('Approved', 'Denied'),
      { ...conditions('Approved', 'Denied'), ...issued(CERTIFICATE) },
      '',
    ],
    [
      'a condition twice',
      'status',
      {},
      conditions('<Failed', '<Failed'),
      'status.conditions[1].type: Duplicate value: "\\u003cFailed"',
    ],
    ['no type', 'status', {}, conditions(''), 'status.conditions[0].type: Required value'],
    [
      'an unsure decision',
      'approval',
      {},
      { conditions: [condition('Approved', { status: 'False' })] },
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    ],
    [
      'an unknown status',
      'status',
      {},
      { conditions: [condition('Other', { status: '<x' }), condition('More', { status: '' })] },
      '[status.conditions[0].status: Unsupported value: "\\u003cx": supported values: "False", "True", "Unknown", status.conditions[1].status: Required value]',
    ],
    ['a certificate', 'status', {}, issued(`text\n${CERTIFICATE}${CERTIFICATE}`), ''],
    ['two certificates in a block', 'status', {}, issued(inOneBlock(CERTIFICATE, CERTIFICATE)), ''],
    [
      'a certificate with something after it',
      'status',
      {},
      issued(inOneBlock(CERTIFICATE, PEM_OF_NULL)),
      `${certificate} x509: malformed certificate`,
    ],
    [
      'a certificate elsewhere',
      'approval',
      {},
      issued(CERTIFICATE),
      'status.certificate: Forbidden: updates may not set certificate content',
    ],
    [
      'another certificate',
      'status',
      issued(CERTIFICATE),
      issued(CERTIFICATE + CERTIFICATE),
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    ],
    ['no certificate', 'status', {}, issued('x'), `${certificate} must contain at least one CERTIFICATE PEM block`],
    [
      'a request',
      'status',
      {},
      issued(certificateRequests.rsa),
      `${certificate} only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"`,
    ],
    [
      'headers',
      'status',
      {},
      issued(CERTIFICATE.replace('\n', '\nk: v\n\n')),
      `${certificate} no PEM block headers are permitted`,
    ],
    [
      'a header of an odd name',
      'status',
      {},
      issued(CERTIFICATE.replace('\n', '\n__proto__: v\n\n')),
      `${certificate} no PEM block headers are permitted`,
    ],
    [
      'a block of an odd type',
      'status',
      {},
      issued(CERTIFICATE.replaceAll('CERTIFICATE', 'A\u0001')),
      `${certificate} only CERTIFICATE PEM blocks are allowed, found "A\\x01"`,
    ],
    [
      'rubbish',
      'status',
      {},
      issued(CERTIFICATE.replace('MIIB', 'AAAA')),
      `${certificate} x509: malformed certificate`,
    ],
    ['an existing invalid certificate', 'approval', issued('x'), { ...issued('x'), ...conditions('Approved') }, ''],
  ])('%s', async (...[, endpoint, before, after, expected]) => {
    const found = await faultOfUpdate(strategies[endpoint], request({}, after), request({}, before));
    if (expected === '') expect(found).toBe('');
    else expect(found).toContain(expected);
  });

  it('tolerates what older servers stored', async () => {
    const old = request({ signerName: 'kubernetes.io/legacy-unknown', usages: ['fly', 'fly'] });
    expect(await faultOfUpdate(strategies.main, structuredClone(old), old)).toBe('');
  });

  it('parses each certificate of a chain in a step', () => {
    const chain = request({}, { certificate: base64(CERTIFICATE.repeat(10)) });
    const steps = furtherUpdateErrors(chain, request(), { approval: false, certificate: true });
    const before = Array.from({ length: 10 }, () => steps.next().done);
    expect([before, steps.next().done]).toEqual([Array(10).fill(false), true]);
  });
});

it('validates lists in linear time', async () => {
  const many = Array.from({ length: 100_000 }, (_, i) => `u${i}`);
  const made = request({ usages: [...many, 'u0'] }, conditions(...many, 'u0'));
  const found = await strategies.main.validate(context, made);
  expect(found.filter(({ type }) => type === 'FieldValueDuplicate').map(({ field }) => field)).toEqual([
    'spec.usages[100000]',
    'status.conditions[100000].type',
  ]);
});

it('can be selected by its signer', () => {
  expect(certificateSigningRequests(systemClock).selectableFields?.(request())).toEqual({
    'spec.signerName': 'example.com/signer',
  });
});

it.each<[CertificateSigningRequestStatus, string]>([
  [{}, 'Pending'],
  [conditions('Approved'), 'Approved'],
  [conditions('Approved', 'Denied'), 'Denied'],
  [conditions('Failed'), 'Pending,Failed'],
  [{ ...conditions('Approved'), certificate: 'eA==' }, 'Approved,Issued'],
])('shows %j as %s', (status, state) => {
  const cells = certificateSigningRequests(systemClock).columns.map(({ cell }) =>
    cell(request({ username: 'jane', expirationSeconds: 3600 }, status), rowTime(0)),
  );
  expect(cells.slice(2)).toEqual(['example.com/signer', 'jane', '60m', state]);
});
