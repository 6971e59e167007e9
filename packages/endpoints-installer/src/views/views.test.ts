import { unwrapUnknown } from '@apiserver/apimachinery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTestServer } from '../testing/test-server.js';
import { internalGoType, versionedGoType } from './go-type-name.js';
import {
  envelopeHead,
  envelopeTail,
  fieldHead,
  lengthDelimited,
  messageOfEnvelope,
  varintField,
} from './protobuf-envelope.js';

test.each([
  ['', 'core.Pod'],
  ['apps', 'apps.Pod'],
  ['rbac.authorization.k8s.io', 'rbac.Pod'],
  ['internal.apiserver.k8s.io', 'apiserverinternal.Pod'],
])('internal type of group %j', (group, expected) => {
  expect([internalGoType({ group, kind: 'Pod' }), versionedGoType({ group, version: 'v1', kind: 'Pod' })]).toEqual([
    expected,
    'v1.Pod',
  ]);
});

describe('protobuf envelopes', () => {
  test('open as they were closed, whatever the lengths', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(40_000), (apiVersion, kind, length) => {
        const raw = Buffer.alloc(length, 7);
        const bytes = Buffer.concat([envelopeHead(apiVersion, kind, length), raw, envelopeTail()]);
        const opened = unwrapUnknown(bytes);
        expect([opened.apiVersion, opened.kind, Buffer.compare(opened.raw, raw)]).toEqual([apiVersion, kind, 0]);
        expect(Buffer.compare(messageOfEnvelope(bytes), raw)).toBe(0);
      }),
    );
  });

  test.each([
    [0, [0x20, 0]],
    [127, [0x20, 127]],
    [300, [0x20, 0xac, 0x02]],
    [2 ** 40, [0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]],
  ])('varint of %i', (value, expected) => {
    expect([...varintField(4, value)]).toEqual(expected);
  });

  test('fields', () => {
    expect([[...fieldHead(2, 3)], [...lengthDelimited(1, Buffer.from('ab'))]]).toEqual([
      [0x12, 3],
      [0x0a, 2, 0x61, 0x62],
    ]);
  });

  test('bytes that end too early are refused', () => {
    expect(() => messageOfEnvelope(envelopeHead('v1', 'Pod', 300).subarray(0, 8))).toThrow(RangeError);
  });
});

test.each(['v1', 'v1beta1'])('metadata in version %s of its group', async (version) => {
  const { call, storage } = createTestServer();
  storage.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } });
  const as = `as=PartialObjectMetadata;v=${version};g=meta.k8s.io`;
  const url = '/api/v1/namespaces/n/configmaps/a';
  const json = await call({ url, headers: { Accept: `application/json;${as}` } });
  const protobuf = await call({ url, headers: { Accept: `application/vnd.kubernetes.protobuf;${as}` } });
  const { apiVersion, kind } = unwrapUnknown(protobuf.bytes);
  expect([JSON.parse(json.text).apiVersion, apiVersion, kind]).toEqual([
    `meta.k8s.io/${version}`,
    `meta.k8s.io/${version}`,
    'PartialObjectMetadata',
  ]);
});
