import { messageOf } from '@apiserver/apimachinery/errors';
import { expect, test } from 'vitest';
import { newReviewDecoder, type ReviewedRequest, verifyResponse } from './review-response.js';

const API = 'admission.k8s.io';
const reader = newReviewDecoder();
const NO_META = "couldn't get version/kind; json parse error: ";

async function decoded(text: string, version: 'v1' | 'v1beta1' = 'v1'): Promise<unknown> {
  try {
    return (await reader.decode(text, version)).response?.uid;
  } catch (error) {
    return messageOf(error);
  }
}

const review = (apiVersion: string, kind = 'AdmissionReview') =>
  JSON.stringify({ apiVersion, kind, response: { uid: 'u', allowed: true } });

test.each<[string, string, unknown]>([
  ['v1', review(`${API}/v1`), 'u'],
  ['v1beta1', review(`${API}/v1beta1`), 'u'],
  ['v1', '{"response":{"uid":"u","allowed":true}}', 'u'],
  ['v1', `  ${review(`${API}/v1`)}`, 'u'],
  ['v1', `apiVersion: ${API}/v1\nkind: AdmissionReview\nresponse: {uid: u, allowed: true}`, 'u'],
  ['v1', 'null', undefined],
  ['v1', review(`${API}/v1beta1`), 'converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion'],
  ['v1beta1', review(`${API}/v1`), 'converting (v1.AdmissionReview) to (v1beta1.AdmissionReview): unknown conversion'],
  ['v1', review('v1', 'Status'), 'converting (v1.Status) to (v1.AdmissionReview): unknown conversion'],
  [
    'v1',
    review(`${API}/v2`),
    `no kind "AdmissionReview" is registered for version "${API}/v2" in scheme "pkg/util/webhook/client.go:71"`,
  ],
  [
    'v1',
    review('v2', 'Status'),
    'no kind "Status" is registered for version "v2" in scheme "pkg/util/webhook/client.go:71"',
  ],
  [
    'v1',
    review(`${API}/v1`, 'Other'),
    `no kind "Other" is registered for version "${API}/v1" in scheme "pkg/util/webhook/client.go:71"`,
  ],
  ['v1', 'a: b: c', 'yaml: mapping values are not allowed in this context'],
  ['v1', review('a/b/c'), 'unexpected GroupVersion string: a/b/c'],
  ['v1', '{"apiVersion":1}', `${NO_META}json: cannot unmarshal number into Go struct field .apiVersion of type string`],
  ['v1', '{"apiVersion":null,"kind":null,"response":{"uid":"u","allowed":true}}', 'u'],
  [
    'v1',
    '{"APIVERSION":"v2","kind":"Status"}',
    'no kind "Status" is registered for version "v2" in scheme "pkg/util/webhook/client.go:71"',
  ],
  ['v1', '{"kind":"Other","Kind":"AdmissionReview","response":{"uid":"u","allowed":true}}', 'u'],
  ['v1', '{"kind":true}', `${NO_META}json: cannot unmarshal bool into Go struct field .kind of type string`],
  ['v1', '{"kind":[]}', `${NO_META}json: cannot unmarshal array into Go struct field .kind of type string`],
  [
    'v1',
    '{"kind":12345678901234567890}',
    `${NO_META}json: cannot unmarshal number into Go struct field .kind of type string`,
  ],
])('%s: %s is read or refused', async (version, text, expected) => {
  expect(await decoded(text, version === 'v1' ? 'v1' : 'v1beta1')).toBe(expected);
});

test('a long text that is no JSON is not read as YAML', async () => {
  const yaml = (length: number) => `response: {uid: u, allowed: true}\n#${'x'.repeat(length - 35)}`;
  expect(yaml(16_384).length).toBe(16_384);
  expect([await decoded(yaml(16_384)), await decoded(yaml(16_385))]).toEqual(['u', expect.stringContaining(NO_META)]);
});

const request = (changes: Partial<ReviewedRequest> = {}): ReviewedRequest => ({
  uid: 'u',
  version: 'v1',
  isMutating: true,
  ...changes,
});
const PATCH = Buffer.from('[]').toString('base64');

test.each<[string, object, Partial<ReviewedRequest>, object]>([
  ['an allowed request', {}, {}, { allowed: true, patch: Buffer.alloc(0) }],
  [
    'a patch',
    { patch: PATCH, patchType: 'JSONPatch' },
    {},
    { allowed: true, patch: Buffer.from('[]'), patchType: 'JSONPatch' },
  ],
  [
    'an empty type',
    { patch: PATCH, patchType: '' },
    {},
    { fault: 'webhook returned invalid response.patchType of ""' },
  ],
  [
    'a patch of v1beta1',
    { uid: 'other', patch: PATCH },
    { version: 'v1beta1' },
    { allowed: true, patch: Buffer.from('[]'), patchType: 'JSONPatch' },
  ],
  [
    'a patch of v1beta1 by a validating webhook',
    { patch: PATCH },
    { version: 'v1beta1', isMutating: false },
    { allowed: true, patch: Buffer.alloc(0) },
  ],
  [
    'a patch by a validating webhook',
    { patch: PATCH },
    { isMutating: false },
    { fault: 'validating webhook may not return response.patch' },
  ],
  [
    'a type by a validating webhook',
    { patchType: '' },
    { isMutating: false },
    { fault: 'validating webhook may not return response.patchType' },
  ],
])('%s is verified', (_, changes, changed, expected) => {
  const response = { uid: 'u', allowed: true, ...changes };
  expect(verifyResponse({ apiVersion: `${API}/v1`, kind: 'AdmissionReview', response }, request(changed))).toEqual(
    expected,
  );
});

test('a review of another kind is refused', () => {
  const response = { uid: 'u', allowed: true };
  expect([
    verifyResponse({ apiVersion: `${API}/v1`, kind: 'Other', response }, request()),
    verifyResponse({ apiVersion: 'v1', kind: 'AdmissionReview', response }, request()),
  ]).toEqual([
    { fault: `expected webhook response of ${API}/v1, Kind=AdmissionReview, got ${API}/v1, Kind=Other` },
    { fault: `expected webhook response of ${API}/v1, Kind=AdmissionReview, got /v1, Kind=AdmissionReview` },
  ]);
});

test('long text is decoded in turns of the event loop, as short text is', async () => {
  const decoder = newReviewDecoder();
  const text = (count: number, more = {}) =>
    JSON.stringify({ response: { uid: 'u', allowed: true, warnings: Array(count).fill('w') }, ...more });
  const decoding = decoder.decode(text(100_000), 'v1');
  let turns = 0;
  let isOver = false;
  void decoding.finally(() => {
    isOver = true;
  });
  for (; !isOver; turns++) await new Promise(setImmediate);
  expect((await decoding).response?.warnings).toHaveLength(100_000);
  expect(turns).toBeGreaterThan(1);
  const message = 'no kind "Other" is registered for version "admission.k8s.io/v1"';
  for (const count of [1, 100_000]) {
    await expect(decoder.decode(text(count, { kind: 'Other' }), 'v1')).rejects.toThrow(message);
    const cut = text(count).slice(0, -1);
    await expect(decoder.decode(cut, 'v1')).rejects.toThrow("couldn't get version/kind; json parse error: unexpected");
  }
});
