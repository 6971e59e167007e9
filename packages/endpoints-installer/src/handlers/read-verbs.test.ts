import { gunzipSync } from 'node:zlib';
import type { KubeObject } from '@apiserver/apimachinery';
import { describe, expect, test } from 'vitest';
import { parseListOptions } from '../options/list-options.js';
import { testCodec, testDefinition } from '../testing/test-definition.js';
import { createTestServer } from '../testing/test-server.js';

const ITEM = '/api/v1/namespaces/n/configmaps/a';
const LIST = '/api/v1/namespaces/n/configmaps';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

function configMap(name: string, rest: Partial<KubeObject> = {}): KubeObject {
  const metadata = { name, namespace: 'n', uid: `uid-${name}`, creationTimestamp: '2024-01-02T03:04:05Z' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: '<v>' }, ...rest };
}

function server() {
  const made = createTestServer();
  made.storage.put(configMap('a'));
  made.storage.put(configMap('b'));
  return made;
}

const A_META =
  '"metadata":{"name":"a","namespace":"n","uid":"uid-a","resourceVersion":"1","creationTimestamp":"2024-01-02T03:04:05Z"}';
const A_REST = `${A_META},"data":{"k":"\\u003cv\\u003e"}}`;
const A_JSON = `{"kind":"ConfigMap","apiVersion":"v1",${A_REST}`;

describe('get', () => {
  test('returns the kept bytes, without reading the value', async () => {
    const { call, storage } = server();
    const { status, contentType, text } = await call({ url: ITEM });
    expect([status, contentType, text, storage.valuesRead]).toEqual([200, 'application/json', `${A_JSON}\n`, 0]);
  });

  test.each([
    ['curl', { 'User-Agent': 'curl/8' }, ''],
    ['?pretty', {}, '?pretty=true'],
    ['?pretty', {}, '?pretty=1'],
    ['a media type parameter', { Accept: 'application/json;pretty=1' }, ''],
  ])('is indented for %s', async (_, headers, query) => {
    const { text } = await server().call({ url: ITEM + query, headers });
    expect(text).toBe(
      JSON.stringify(JSON.parse(A_JSON), null, 2).replace(/[<>]/g, (c) => (c === '<' ? '\\u003c' : '\\u003e')),
    );
  });

  test.each([
    ['?pretty=false', { 'User-Agent': 'curl/8' }],
    ['?pretty=yes', {}],
  ])('%s is compact', async (query, headers) => {
    expect((await server().call({ url: ITEM + query, headers })).text).toBe(`${A_JSON}\n`);
  });

  test('YAML', async () => {
    const { contentType, text } = await server().call({ url: ITEM, headers: { Accept: 'application/yaml' } });
    expect([contentType, text]).toEqual([
      'application/yaml',
      `apiVersion: v1
data:
  k: <v>
kind: ConfigMap
metadata:
  creationTimestamp: "2024-01-02T03:04:05Z"
  name: a
  namespace: "n"
  resourceVersion: "1"
  uid: uid-a
`,
    ]);
  });

  test('protobuf', async () => {
    const { contentType, bytes } = await server().call({ url: ITEM, headers: { Accept: PROTOBUF } });
    const { object } = testCodec().decodeProtobuf(bytes);
    expect([contentType, { ...object }]).toEqual([PROTOBUF, JSON.parse(A_JSON)]);
  });

  test('metadata only', async () => {
    const Accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const { text } = await server().call({ url: ITEM, headers: { Accept } });
    expect(text).toBe(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",${A_META}}\n`);
  });

  test('a value for in-process callers', async () => {
    const { call, storage } = server();
    const { response } = await call({ url: ITEM, inProcess: {} });
    const seen = response.type === 'value' ? response.value : undefined;
    expect([response.type, seen]).toEqual(['value', await storage.get({ namespace: 'n' } as never, 'a', {})]);
  });

  test.each<readonly [string, string, number, string]>([
    [
      'text/html',
      '',
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'application/*',
      '',
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'not a media type',
      '',
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`,
      '',
      406,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      '',
      406,
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    ],
    [
      'application/json;as=Table;g=meta.k8s.io;v=v1',
      '?includeObject=All',
      400,
      "Unable to convert to Table as requested: includeObject: Invalid value: \"All\": must be 'Metadata', 'Object', 'None', or empty",
    ],
    [
      'application/cbor',
      '',
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
  ])('refuses %s%s', async (Accept, query, code, message) => {
    const { status, contentType, text } = await server().call({ url: ITEM + query, headers: { Accept } });
    expect([status, contentType, JSON.parse(text).message]).toEqual([code, 'application/json', message]);
  });

  test.each([
    ['', 400],
    ['x', 400],
    ['0', 200],
    ['False', 200],
  ])('export=%s, which is no longer supported', async (value, expected) => {
    const { status, text } = await server().call({ url: `${ITEM}?export=${value}` });
    expect([status, JSON.parse(text).message]).toEqual([
      expected,
      expected === 400 ? 'the export parameter, deprecated since v1.14, is no longer supported' : undefined,
    ]);
  });

  test('an error is returned in the requested encoding', async () => {
    const url = `${LIST}/nope`;
    const { status, text } = await server().call({ url, headers: { Accept: 'application/yaml' } });
    expect([status, text]).toEqual([
      404,
      `apiVersion: v1
code: 404
details:
  kind: configmaps
  name: nope
kind: Status
message: configmaps "nope" not found
metadata: {}
reason: NotFound
status: Failure
`,
    ]);
  });

  test('a large object is compressed on request', async () => {
    const { call, storage } = server();
    storage.put(configMap('big', { data: { k: 'x'.repeat(200_000) } }));
    const url = `${LIST}/big`;
    const plain = await call({ url });
    const zipped = await call({ url, headers: { 'Accept-Encoding': 'br, gzip' } });
    const headers = (response: typeof plain) =>
      ['content-encoding', 'vary'].map((h) => response.exchange.responseHeaders.get(h));
    expect([headers(plain), headers(zipped), gunzipSync(zipped.bytes).equals(Buffer.from(plain.bytes))]).toEqual([
      [undefined, undefined],
      ['gzip', 'Accept-Encoding'],
      true,
    ]);
  });
});

describe('list', () => {
  test('streams the kept bytes, without kind and apiVersion', async () => {
    const { call, storage } = server();
    const { contentType, text } = await call({ url: LIST });
    const b = A_REST.replaceAll('"a"', '"b"')
      .replace('uid-a', 'uid-b')
      .replace('"resourceVersion":"1"', '"resourceVersion":"2"');
    expect([contentType, text, storage.valuesRead]).toEqual([
      'application/json',
      `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[{${A_REST},{${b}]}\n`,
      0,
    ]);
  });

  test('an empty one has items', async () => {
    const { text } = await server().call({ url: `${LIST}?labelSelector=x` });
    expect(text).toBe('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[]}\n');
  });

  test('limit and continue', async () => {
    const { text } = await server().call({ url: `${LIST}?limit=1` });
    expect(JSON.parse(text).metadata).toEqual({ resourceVersion: '2', continue: 'next', remainingItemCount: 1 });
  });

  test('a large one comes in chunks, is the same compressed, and yields to the event loop', async () => {
    const { call, storage } = server();
    for (let i = 0; i < 500; i++) storage.put(configMap(`c${i}`, { data: { k: 'x'.repeat(1000 + i) } }));
    const plain = await call({ url: LIST });
    const zipped = await call({ url: LIST, headers: { 'Accept-Encoding': 'gzip' } });
    expect([
      plain.response.type,
      JSON.parse(plain.text).items.length,
      gunzipSync(zipped.bytes).toString() === plain.text,
    ]).toEqual(['chunks', 502, true]);
  });

  test('indented', async () => {
    const { text } = await server().call({ url: `${LIST}?pretty=1` });
    const compact = (await server().call({ url: LIST })).text;
    expect([text.startsWith('{\n  "kind"'), text.endsWith('\n}'), JSON.parse(text)]).toEqual([
      true,
      true,
      JSON.parse(compact),
    ]);
  });

  test('YAML', async () => {
    const { text } = await server().call({ url: `${LIST}?limit=1`, headers: { Accept: 'application/yaml' } });
    expect(text.split('\n').slice(0, 6)).toEqual([
      'apiVersion: v1',
      'items:',
      '- data:',
      '    k: <v>',
      '  metadata:',
      '    creationTimestamp: "2024-01-02T03:04:05Z"',
    ]);
  });

  test('protobuf', async () => {
    const { compileKind } = await import('@apiserver/apimachinery/codec');
    const { ConfigMapList } = await import('@apiserver/api/core/v1');
    const { bytes } = await server().call({ url: `${LIST}?limit=1`, headers: { Accept: PROTOBUF } });
    const codec = compileKind(ConfigMapList);
    const { object } = codec.decodeProtobuf(bytes);
    expect([
      object.kind,
      object.metadata,
      object.items?.[0]?.data,
      Buffer.from(codec.encodeProtobuf(object)).equals(Buffer.from(bytes)),
    ]).toEqual([
      'ConfigMapList',
      { resourceVersion: '2', continue: 'next', remainingItemCount: 1 },
      { k: '<v>' },
      true,
    ]);
  });

  test('metadata only, in JSON and protobuf', async () => {
    const as = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const url = `${LIST}?limit=1`;
    const json = await server().call({ url, headers: { Accept: `application/json;${as}` } });
    const protobuf = await server().call({ url, headers: { Accept: `${PROTOBUF};${as}` } });
    const { compileKind } = await import('@apiserver/apimachinery/codec');
    const { PartialObjectMetadataList } = await import('@apiserver/api/meta/v1');
    const codec = compileKind(PartialObjectMetadataList);
    const head = '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1"';
    expect([
      json.text,
      codec.decodeProtobuf(protobuf.bytes).object.items?.map(({ metadata }) => metadata.name),
    ]).toEqual([
      `${head},"metadata":{"resourceVersion":"2","continue":"next","remainingItemCount":1},"items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",${A_META}}]}\n`,
      ['a'],
    ]);
  });

  const columns =
    '[{"name":"Name","type":"string","format":"name","description":"ObjectMeta.name","priority":0},' +
    '{"name":"Data","type":"string","format":"","description":"How much \\u003cdata\\u003e","priority":0}]';
  const fieldDescription = (definition: string, field: string) => `${definition.split('.').at(-1)}.${field}`;

  test.each([
    ['', `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",${A_META}}`],
    ['&includeObject=Metadata', `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",${A_META}}`],
    ['&includeObject=None', 'null'],
    ['&includeObject=Object', A_JSON],
  ])('a Table%s', async (query, object) => {
    const made = createTestServer({ fieldDescription });
    made.storage.put(configMap('a'));
    const Accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { text } = await made.call({ url: `${LIST}?limit=5${query}`, headers: { Accept } });
    expect(text).toBe(
      `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"},"columnDefinitions":${columns},` +
        `"rows":[{"cells":["a",1],"object":${object}}]}\n`,
    );
  });

  test('a Table that says what holds for a row', async () => {
    const rowConditions = ({ metadata }: KubeObject) =>
      metadata.name === 'a' ? [{ type: 'Completed', status: 'True', reason: 'Done' } as const] : [];
    const made = createTestServer({ definition: testDefinition({ rowConditions }) });
    made.storage.put(configMap('a'));
    made.storage.put(configMap('b'));
    const Accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { text } = await made.call({ url: `${LIST}?includeObject=None`, headers: { Accept } });
    expect(text.slice(text.indexOf('"rows"'))).toBe(
      '"rows":[{"cells":["a",1],"conditions":[{"type":"Completed","status":"True","reason":"Done"}],"object":null},' +
        '{"cells":["b",1],"object":null}]}\n',
    );
  });

  test('each Accept header is judged by itself', async () => {
    const { call } = server();
    const statuses: number[] = [];
    for (const Accept of ['application/json', 'image/png', 'application/json', 'image/png', '*/*', 'image/png']) {
      statuses.push((await call({ url: LIST, headers: { Accept } })).status);
    }
    expect(statuses).toEqual([200, 406, 200, 406, 200, 406]);
  });

  test('a Table of nothing, in YAML', async () => {
    const Accept = 'application/yaml;as=Table;v=v1;g=meta.k8s.io';
    const { text } = await createTestServer().call({ url: LIST, headers: { Accept } });
    expect(text.endsWith('rows: []\n')).toBe(true);
  });

  test.each<readonly [string, number, string]>([
    ['limit=many', 400, 'strconv.ParseInt: parsing "many": invalid syntax'],
    ['limit=99999999999999999999', 400, 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['limit=99999999999999999999x', 400, 'strconv.ParseInt: parsing "99999999999999999999x": value out of range'],
    ['limit=9223372036854775808x', 400, 'strconv.ParseInt: parsing "9223372036854775808x": invalid syntax'],
    ['limit=', 400, 'strconv.ParseInt: parsing "": invalid syntax'],
    ['timeoutSeconds=soon', 400, 'strconv.ParseInt: parsing "soon": invalid syntax'],
    ['labelSelector=,,', 400, "found ',', expected: !, identifier, or 'end of string'"],
    [
      'fieldSelector=spec.nope%3D1',
      400,
      '"spec.nope" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [
      'resourceVersionMatch=Exact',
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
  ])('refuses ?%s', async (query, code, message) => {
    const { status, text } = await server().call({ url: `${LIST}?${query}` });
    expect([status, JSON.parse(text).message]).toEqual([code, message]);
  });

  test('a kind with fields of its own words unknown ones its way', async () => {
    const definition = testDefinition({ selectableFieldNames: ['status.phase'] });
    const { call } = createTestServer({ definition });
    const bad = await call({ url: `${LIST}?fieldSelector=status.phas%3D1` });
    const good = await call({ url: `${LIST}?fieldSelector=status.phase%3D1` });
    expect([bad.status, JSON.parse(bad.text).message, good.status]).toEqual([
      400,
      'field label not supported: status.phas',
      200,
    ]);
  });

  test.each([
    ['Namespaced', {}, undefined],
    ['Namespaced', { selectableFieldNames: ['spec.a'] }, undefined],
    [
      'Namespaced',
      { selectableFieldNames: ['spec.a'], selectsNamespace: false },
      'field label not supported: metadata.namespace',
    ],
    ['Cluster', {}, undefined],
    ['Cluster', { selectableFieldNames: ['spec.a'] }, 'field label not supported: metadata.namespace'],
    [
      'Cluster',
      { selectableFieldNames: ['spec.a'], unknownFieldText: (field: string) => `no ${field}` },
      'no metadata.namespace',
    ],
  ] as const)('the namespace of a kind of scope %s with %j', (scope, fields, message) => {
    const parse = () =>
      parseListOptions(new URLSearchParams('fieldSelector=metadata.namespace%3Dx'), {
        definition: testDefinition({ scope, ...fields }),
        resource: { group: '', version: 'v1', resource: 'as' },
        environment: { features: { shardedLists: false, watchList: true } },
      });
    if (message === undefined) expect(parse).not.toThrow();
    else expect(parse).toThrow(message);
  });

  test('a selected name narrows the list', async () => {
    const { text } = await server().call({ url: `${LIST}?fieldSelector=metadata.name%3Db` });
    expect(JSON.parse(text).items.map(({ metadata }: KubeObject) => metadata.name)).toEqual(['b']);
  });

  test('unknown parameters do not matter', async () => {
    expect((await server().call({ url: `${LIST}?foo=bar&a[]=1` })).status).toBe(200);
  });
});

describe('custom resources and protobuf', () => {
  const URL = '/apis/example.com/v1/namespaces/n/configmaps';

  function customServer() {
    const schema = { ...testDefinition().versions[0]!.schema, semantics: 'structural' as const };
    return createTestServer({
      definition: testDefinition({ group: 'example.com', versions: [{ version: 'v1', schema }] }),
    });
  }

  test.each([
    [`${PROTOBUF}, application/json`, 200, 'application/json'],
    [`${PROTOBUF}, application/yaml;q=0.5, application/json;q=0.4`, 200, 'application/yaml'],
    [`${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`, 200, PROTOBUF],
    [PROTOBUF, 406, PROTOBUF],
  ])('%s', async (Accept, status, contentType) => {
    const response = await customServer().call({ url: URL, headers: { Accept } });
    expect([response.status, response.contentType]).toEqual([status, contentType]);
  });

  test('what is accepted, in words', async () => {
    const { text } = await customServer().call({ url: URL, headers: { Accept: PROTOBUF } });
    expect(text).toContain(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  });
});
