import { Scale } from '@apiserver/api/autoscaling/v1';
import { unwrapUnknown } from '@apiserver/apimachinery/codec/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { internalGoType, versionedGoType } from '../semantics/go-type-name.js';
import { testDefinition } from '../testing/test-definition.js';
import { createTestServer } from '../testing/test-server.js';
import {
  envelopeHead,
  envelopeTail,
  fieldHead,
  itemOfEnvelope,
  lengthDelimited,
  typeMetaLength,
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
        const item = itemOfEnvelope(bytes, typeMetaLength(apiVersion, kind));
        expect(Buffer.compare(item, lengthDelimited(2, raw))).toBe(0);
      }),
    );
  });

  test.each([
    [0, [0x20, 0]],
    [127, [0x20, 127]],
    [300, [0x20, 0xac, 0x02]],
    [2 ** 40, [0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]],
    [-2, [0x20, 0xfe, ...Array.from({ length: 8 }, () => 0xff), 1]],
  ])('varint of %i', (value, expected) => {
    expect([...varintField(4, value)]).toEqual(expected);
  });

  test('the head of a field, and a field of bytes', () => {
    expect([[...fieldHead(2, 3)], [...lengthDelimited(1, Buffer.from('ab'))]]).toEqual([
      [0x12, 3],
      [0x0a, 2, 0x61, 0x62],
    ]);
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

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

describe('a Table', () => {
  const { columns, strategy } = testDefinition();
  const [name] = columns;
  const subresources = {
    status: { strategy },
    approval: { strategy, columns: [] },
    token: { strategy, schema: Scale },
    scale: { strategy, schema: Scale, columns: name === undefined ? [] : [name] },
  };
  const { call, storage } = createTestServer({ definition: testDefinition({ subresources }) });
  storage.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } });

  test.each([
    ['', ['Name', 'Data']],
    ['/status', ['Name', 'Data']],
    ['/scale', ['Name']],
  ])('of a%s has its columns', async (path, expected) => {
    const { status, text } = await call({
      url: `/api/v1/namespaces/n/configmaps/a${path}`,
      headers: { Accept: TABLE },
    });
    const { columnDefinitions } = JSON.parse(text) as { columnDefinitions: { name: string }[] };
    expect([status, columnDefinitions.map((column) => column.name)]).toEqual([200, expected]);
  });

  test.each(['/approval', '/token'])('of a%s there is none', async (path) => {
    const url = `/api/v1/namespaces/n/configmaps/a${path}`;
    const refused = await call({ url, headers: { Accept: TABLE } });
    const instead = await call({ url, headers: { Accept: `${TABLE},application/json` } });
    expect([refused.status, JSON.parse(refused.text).reason, instead.status]).toEqual([406, 'NotAcceptable', 200]);
  });

  test('of what has no columns there is none', async () => {
    const server = createTestServer({ definition: testDefinition({ columns: [] }) });
    const { status } = await server.call({ url: '/api/v1/namespaces/n/configmaps', headers: { Accept: TABLE } });
    expect(status).toBe(406);
  });

  test.each([
    [true, null],
    [false, []],
  ])('of no objects has the rows of its converter (null: %s)', async (emptyRowsAreNull, rows) => {
    const server = createTestServer({ definition: testDefinition({ emptyRowsAreNull }) });
    const { text } = await server.call({ url: '/api/v1/namespaces/n/configmaps', headers: { Accept: TABLE } });
    expect(JSON.parse(text).rows).toEqual(rows);
  });

  test('of no objects shows metadata only of what ends the initial events', async () => {
    storage.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'end', namespace: 'n', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    const url = '/api/v1/namespaces/n/configmaps?includeObject=None';
    const { rows } = JSON.parse((await call({ url, headers: { Accept: TABLE } })).text) as {
      rows: { object: { kind: string } | null }[];
    };
    expect(rows.map(({ object }) => object?.kind)).toEqual([undefined, 'PartialObjectMetadata']);
  });
});

test('a list of metadata without items says null, as upstream', async () => {
  const Accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
  const { text } = await createTestServer().call({ url: '/api/v1/namespaces/n/configmaps', headers: { Accept } });
  expect(text).toBe(
    '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0"},"items":null}\n',
  );
});
