import { ConfigMap } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { describe, expect, test } from 'vitest';
import { type TestExchangeOptions, testDefinition } from '../testing/index.js';
import { testCodec } from '../testing/test-definition.js';
import { createTestServer } from '../testing/test-server.js';
import {
  CONFIG_MAP_A,
  CONFIG_MAPS,
  configMapBody,
  type Refusal,
  recordingChain,
  refusalOf,
} from '../testing/write-fixtures.js';
import { ADMISSION_ANNOTATIONS } from './admission-annotations.js';

const OWNER = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

describe('create', () => {
  const post = (options: TestExchangeOptions = {}) => ({
    method: 'POST',
    url: CONFIG_MAPS,
    body: configMapBody(),
    ...options,
  });

  test('stores, and returns the stored bytes', async () => {
    const { call } = createTestServer();
    const { status, contentType, text, warnings } = await call(
      post({ body: configMapBody({ data: { b: '1', a: '2' } }) }),
    );
    expect([status, contentType, text, warnings]).toEqual([
      201,
      'application/json',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"uid-1","resourceVersion":"1",' +
        '"creationTimestamp":"2024-01-02T03:04:05Z","managedFields":[{"manager":"unknown","operation":"Update",' +
        '"apiVersion":"v1","time":"2024-01-02T03:04:05Z","fieldsType":"FieldsV1",' +
        '"fieldsV1":{"f:data":{".":{},"f:a":{},"f:b":{}}}}]},"data":{"a":"2","b":"1"}}\n',
      [],
    ]);
  });

  test.each<readonly [string, TestExchangeOptions]>([
    [
      'YAML',
      {
        headers: { 'Content-Type': 'application/yaml' },
        body: 'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n',
      },
    ],
    ['JSON as YAML', { headers: { 'Content-Type': 'application/yaml' }, body: configMapBody() }],
    [
      'protobuf',
      {
        headers: { 'Content-Type': 'application/vnd.kubernetes.protobuf' },
        body: testCodec().encodeProtobuf(configMapBody()),
      },
    ],
    ['a charset', { headers: { 'Content-Type': 'application/json;charset=utf-8' } }],
    ['an empty content type', { headers: { 'Content-Type': '' } }],
    ['neither kind nor apiVersion', { body: { metadata: { name: 'a' } } }],
    ['its own namespace', { body: configMapBody({}, { namespace: 'n' }) }],
    ['a value in this process', { inProcess: { body: configMapBody() } }],
  ])('takes %s', async (_, options) => {
    const { call, storage } = createTestServer();
    const { status } = await call(post(options));
    const stored = await storage.get({ namespace: 'n' } as never, 'a', {});
    expect([status, stored.object.kind, stored.object.apiVersion]).toEqual([201, 'ConfigMap', 'v1']);
  });

  test("removes the server's fields", async () => {
    const { call } = createTestServer();
    const metadata = {
      uid: 'mine',
      creationTimestamp: '1999-01-01T00:00:00Z',
      deletionTimestamp: '1999-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 1,
      selfLink: '/x',
    };
    const { text } = await call(post({ body: configMapBody({}, metadata) }));
    expect(JSON.parse(text).metadata).toEqual({
      name: 'a',
      namespace: 'n',
      uid: 'uid-1',
      resourceVersion: '1',
      creationTimestamp: '2024-01-02T03:04:05Z',
    });
  });

  test('an object in this process is not changed', async () => {
    const { call } = createTestServer();
    const object = configMapBody({ data: { k: 'v' } }, { uid: 'mine' });
    const before = JSON.stringify(object);
    await call(post({ inProcess: { body: object } }));
    expect(JSON.stringify(object)).toBe(before);
  });

  test('unknown and duplicate fields warn', async () => {
    const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"a"},"nope":1,"data":{"k":"1"}}';
    const warn = await createTestServer().call(post({ body: text }));
    const ignore = await createTestServer().call(post({ url: `${CONFIG_MAPS}?fieldValidation=Ignore`, body: text }));
    const strict = await createTestServer().call(post({ url: `${CONFIG_MAPS}?fieldValidation=Strict`, body: text }));
    expect([warn.warnings, ignore.warnings, strict.status, JSON.parse(strict.text).message]).toEqual([
      ['duplicate field "metadata.name"', 'unknown field "nope"'],
      [],
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "metadata.name", unknown field "nope"',
    ]);
  });

  test('reads the kind in a name that V8 confuses with an earlier one', async () => {
    JSON.parse(String.raw`{"outlined":1,"\\u00":1}`);
    const { status, text } = await createTestServer().call(
      post({ body: String.raw`{"outlined":1,"\u006bind":"Banana"}` }),
    );
    expect([status, text]).toEqual([400, expect.stringContaining('Banana')]);
  });

  test('duplicate owner references are dropped, with a warning', async () => {
    const { call } = createTestServer();
    const other = { ...OWNER, name: 'q' };
    const { text, warnings } = await call(
      post({ body: configMapBody({}, { ownerReferences: [OWNER, other, OWNER] }) }),
    );
    expect([JSON.parse(text).metadata.ownerReferences, warnings]).toEqual([
      [OWNER, other],
      [
        '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u',
      ],
    ]);
  });

  test('admission mutates before the store and validates in it', async () => {
    const { admission, seen } = recordingChain({
      admit: (attributes) => {
        if (attributes.object) attributes.object['data'] = { admitted: 'yes' };
        attributes.addAnnotation('plugin/key', 'value');
      },
    });
    const { text, exchange } = await createTestServer({ admission }).call(post({ url: `${CONFIG_MAPS}?dryRun=All` }));
    expect([seen, JSON.parse(text).data, exchange.context.values.get(ADMISSION_ANNOTATIONS)]).toEqual([
      ['admit CREATE n/a a  true', 'validate CREATE n/a a  true'],
      { admitted: 'yes' },
      new Map([['plugin/key', { level: 'Metadata', value: 'value' }]]),
    ]);
  });

  test('a namespace is in itself for admission', async () => {
    const { admission, seen } = recordingChain();
    const definition = testDefinition({ resource: 'namespaces', scope: 'Cluster' });
    const { text } = await createTestServer({ admission, definition }).call(
      post({ url: '/api/v1/namespaces', body: configMapBody({}, { namespace: 'x' }) }),
    );
    expect([seen[0], JSON.parse(text).metadata.namespace]).toEqual(['admit CREATE a/a a  false', undefined]);
  });

  const YAML = { headers: { 'Content-Type': 'application/yaml' } };
  const SCHEME = 'pkg/api/legacyscheme/scheme.go:30';
  test.each<Refusal>([
    [
      'another content type',
      { headers: { 'Content-Type': 'text/plain' } },
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'CBOR',
      { headers: { 'Content-Type': 'application/cbor' } },
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'too large a body',
      { body: { x: 'x'.repeat(3 * 1024 * 1024) } },
      413,
      'Request entity too large: limit is 3145728',
    ],
    [
      'what is no JSON',
      { body: 'apiVersion: v1\nkind: ConfigMap\n' },
      400,
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'a' looking for beginning of value (61706956657273696f6e3a2076310a6b696e643a20436f6e6669674d6170 ...)",
    ],
    [
      'half an object',
      { body: '{"apiVersion":' },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"apiVersion":)',
    ],
    [
      'an empty body',
      { body: '' },
      400,
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ],
    [
      'an array',
      { body: '[]' },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
    [
      'a kind that is no text',
      { body: '{"kind":1}' },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":1})',
    ],
    [
      'a kind in other letters that is no text',
      { body: '{"kind":"ConfigMap","KIND":[]}' },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string ({"kind":"ConfigMap","KIND":[]})',
    ],
    [
      'another kind in other letters',
      { body: '{"kind":"ConfigMap","Kind":"Banana"}' },
      400,
      `Banana in version "v1" cannot be handled as a ConfigMap: no kind "Banana" is registered for version "v1" in scheme "${SCHEME}"`,
    ],
    [
      'what is no YAML',
      { ...YAML, body: 'a: [' },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): yaml: line 1: did not find expected node content (613a205b)',
    ],
    [
      'YAML that is no mapping',
      { ...YAML, body: '- a' },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (2d2061)',
    ],
    [
      'YAML with a key twice, strictly',
      { ...YAML, url: `${CONFIG_MAPS}?fieldValidation=Strict`, body: 'metadata: {name: a}\ndata: {a: b, a: c}\nx: 1' },
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 2: key "a" already set in map, unknown field "x"',
    ],
    [
      'an impossible apiVersion',
      { body: '{"apiVersion":"a/b/c"}' },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})',
    ],
    [
      'what is no protobuf',
      { headers: { 'Content-Type': 'application/vnd.kubernetes.protobuf' }, body: 'abc' },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (616263)',
    ],
    [
      'an unknown kind',
      { body: configMapBody({ kind: 'Banana' }) },
      400,
      `Banana in version "v1" cannot be handled as a ConfigMap: no kind "Banana" is registered for version "v1" in scheme "${SCHEME}"`,
    ],
    [
      'an apiVersion without a version',
      { body: configMapBody({ apiVersion: 'b/' }) },
      400,
      `ConfigMap in version "" cannot be handled as a ConfigMap: Object 'apiVersion' is missing in '{"apiVersion":"b/","kind":"ConfigMap","metadata":{"name":"a"}}'`,
    ],
    [
      'an unknown version',
      { body: configMapBody({ apiVersion: 'nope/v9' }) },
      400,
      `ConfigMap in version "v9" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "nope/v9" in scheme "${SCHEME}"`,
    ],
    [
      'a wrong field type',
      { body: configMapBody({}, { name: 5 }) },
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'another namespace',
      { body: configMapBody({}, { namespace: 'm' }) },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a wrong dryRun',
      { url: `${CONFIG_MAPS}?dryRun=yes` },
      422,
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["yes"]: supported values: "All"',
    ],
    [
      'a wrong fieldValidation',
      { url: `${CONFIG_MAPS}?fieldValidation=Nah` },
      422,
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Nah": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    ['nothing, in this process', { inProcess: {} }, 400, 'an object must be provided'],
  ])('refuses %s', async (_, options, code, message) => {
    const { call } = createTestServer();
    const { status, text, response } = await call(post(options));
    const failure = response.type === 'value' ? (response.value as unknown as { message: string }) : JSON.parse(text);
    expect([status, failure.message]).toEqual([code, message]);
  });

  test('a kind that is served elsewhere is known', async () => {
    const made = createTestServer();
    const { Secret } = await import('@apiserver/api/core/v1');
    const definition = testDefinition({
      kind: 'Secret',
      resource: 'secrets',
      versions: [{ version: 'v1', schema: Secret }],
    });
    made.container.install({
      group: '',
      versions: ['v1'],
      resources: [{ definition, storage: made.storage, subresources: {} }],
    });
    for (const kind of ['Secret', 'SecretList']) {
      expect(await refusalOf(made, post({ body: configMapBody({ kind }) }))).toEqual([
        400,
        `${kind} in version "v1" cannot be handled as a ConfigMap: converting (v1.${kind}) to (core.ConfigMap): unknown conversion`,
      ]);
    }
  });

  test('a bug is logged and returned', async () => {
    const made = createTestServer();
    const bug = new TypeError('oops');
    made.storage.create = () => Promise.reject(bug);
    const { status, text } = await made.call(post());
    expect([status, JSON.parse(text).reason, made.logged]).toEqual([500, 'InternalError', [bug]]);
  });
});

describe('versions and defaults', () => {
  const schema = testDefinition().versions[0]!.schema;
  const version = 'v1';

  test('bodies are defaulted, folded and converted to the hub; responses are converted back', async () => {
    const trail: string[] = [];
    const definition = testDefinition({
      versions: [
        {
          version,
          schema,
          applyDefaults: () => void trail.push('defaults'),
          normalize: () => void trail.push('normalize'),
          toHub: (object) => ({ ...object, data: { hub: 'yes' } }),
          fromHub: (object) => ({ ...object, data: { ...(object['data'] as object), seen: 'v1' } }),
        },
      ],
    });
    const made = createTestServer({ definition });
    await made.call({ method: 'POST', url: CONFIG_MAPS, body: configMapBody() });
    const { text } = await made.call({
      url: CONFIG_MAP_A,
      headers: { Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    });
    const yaml = await made.call({ url: CONFIG_MAP_A, headers: { Accept: 'application/yaml' } });
    expect([trail, JSON.parse(text).rows[0].cells, yaml.text.includes('seen: v1')]).toEqual([
      ['defaults', 'normalize'],
      ['a', 1],
      true,
    ]);
  });
});

test.each<[name: string, accept: string, readsResult: boolean]>([
  ['v1', 'application/json', false],
  ['v1', 'application/vnd.kubernetes.protobuf', true],
  ['v1', 'application/json;as=Table;v=v1;g=meta.k8s.io', true],
  // Its JSON is not the stored one.
  ['v2', 'application/json', true],
])('the response of %s in %s reads the stored object: %s', async (version, accept, readsResult) => {
  const { versions } = testDefinition();
  const view = {
    version: 'v2',
    schema: ConfigMap,
    toHub: (object: KubeObject) => object,
    fromHub: (object: KubeObject) => object,
  };
  const server = createTestServer({ definition: testDefinition({ versions: [...versions, view] }) });
  const { create } = server.storage;
  const seen: unknown[] = [];
  server.storage.create = (context, ...given) => {
    seen.push(context.readsResult);
    return create.call(server.storage, context, ...given);
  };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  const url = `/api/${version}/namespaces/ns/configmaps`;
  const { status } = await server.call({ method: 'POST', url, body, headers: { accept } });
  expect([status, seen]).toEqual([201, [readsResult]]);
});
