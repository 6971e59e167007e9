import { Endpoints, ServiceAccount } from '@apiserver/api/core/v1';
import type { KubeObject, ManagedFieldsEntry } from '@apiserver/apimachinery';
import { describe, expect, it } from 'vitest';
import { testDefinition } from '../testing/test-definition.js';
import { createTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.js';
import { CONFIG_MAP_A, CONFIG_MAPS, configMapBody, recordingChain } from '../testing/write-fixtures.js';
import { managerName } from './manager-name.js';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const START = Date.parse('2024-01-02T03:04:05Z');

/** A server whose clock advances by a second with every call, and its responses. */
function ticking(options: TestServerOptions = {}) {
  let now = START - 1000;
  const server = createTestServer({ ...options, now: () => now });
  const call = async (request: Parameters<TestServer['call']>[0]) => {
    now += 1000;
    const { status, text, warnings } = await server.call({ user: { name: 'u', groups: [], extra: {} }, ...request });
    const body = JSON.parse(text) as KubeObject & { readonly message?: string; readonly details?: unknown };
    return { status, body, warnings };
  };
  const patch = (type: string, query: string, body: unknown, path = CONFIG_MAP_A) =>
    call({
      method: 'PATCH',
      url: `${path}?${query}`,
      headers: { 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const apply = (query: string, rest: object = {}, metadata: object = {}) =>
    patch(APPLY, query, configMapBody(rest, metadata));
  return { server, call, patch, apply };
}

const data = (values: Record<string, string>) => ({ data: values });
const fields = (...names: readonly string[]) => ({
  'f:data': Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
});
const owned = (...names: readonly string[]) => ({ 'f:data': { '.': {}, ...fields(...names)['f:data'] } });
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString().replace('.000', '');

/** `manager operation seconds` and the fields, for each entry. */
function managersOf({ metadata }: KubeObject) {
  return (metadata.managedFields ?? []).map(
    ({ manager, operation, time, subresource, fieldsV1 }: ManagedFieldsEntry) => [
      [manager, operation, time ? (Date.parse(time) - START) / 1000 : 'never', subresource]
        .filter((x) => x !== undefined)
        .join(' '),
      fieldsV1,
    ],
  );
}

describe('updates', () => {
  it('own what they change, and remove it from others', async () => {
    const { call, patch } = ticking();
    const url = (manager: string) => `${CONFIG_MAPS}?fieldManager=${manager}`;
    const created = await call({
      method: 'POST',
      url: url('one'),
      body: configMapBody(data({ a: '1', b: '1' }), { labels: { l: '1' } }),
    });
    expect(managersOf(created.body)).toEqual([
      ['one Update 0', { ...owned('a', 'b'), 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } }],
    ]);
    const patched = await patch(MERGE, 'fieldManager=two', data({ b: '2', c: '2' }));
    expect(managersOf(patched.body)).toEqual([
      ['one Update 0', { ...owned('a'), 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } }],
      ['two Update 1', fields('b', 'c')],
    ]);
    const put = await call({
      method: 'PUT',
      url: `${CONFIG_MAP_A}?fieldManager=two`,
      body: configMapBody(data({ a: '1', c: '3' })),
    });
    expect(managersOf(put.body)).toEqual([
      ['one Update 0', owned('a')],
      ['two Update 2', fields('c')],
    ]);
  });

  it('may set the owners explicitly, and reset them', async () => {
    const { call, patch } = ticking();
    await call({ method: 'POST', url: CONFIG_MAPS, body: configMapBody(data({ a: '1' })) });
    const entry = {
      manager: 'me',
      operation: 'Apply',
      apiVersion: 'v1',
      time: at(0),
      fieldsType: 'FieldsV1',
      fieldsV1: fields('a'),
    };
    const byHand = await patch(MERGE, 'fieldManager=x', { metadata: { managedFields: [entry] } });
    expect(managersOf(byHand.body)).toEqual([['me Apply 0', fields('a')]]);
    const unreadable = await patch(MERGE, 'fieldManager=x', {
      metadata: { managedFields: [{ ...entry, fieldsType: 'x' }] },
    });
    expect(managersOf(unreadable.body)).toEqual([['me Apply 0', fields('a')]]);
    const forgotten = await patch(MERGE, 'fieldManager=x', { metadata: { managedFields: [] } });
    expect(managersOf(forgotten.body)).toEqual([]);
    expect(managersOf((await patch(MERGE, 'fieldManager=x', data({ a: '2' }))).body)).toEqual([]);
  });

  it.each<[string, object, number]>([
    [MERGE, { metadata: { managedFields: [] } }, 0],
    [MERGE, { metadata: { labels: { managedFields: 'x' } } }, 2],
    [STRATEGIC, { metadata: { $patch: 'replace', name: 'a', namespace: 'n', managedFields: [{}] } }, 0],
    [STRATEGIC, { metadata: { labels: { managedFields: 'x' } } }, 2],
    [JSON_PATCH, [{ op: 'replace', path: '/metadata/managedFields', value: [] }], 0],
    [JSON_PATCH, [{ op: 'replace', path: 'anything/metadata/managedFields', value: [] }], 0],
    [JSON_PATCH, [{ op: 'replace', path: '/metadata', value: { name: 'a', namespace: 'n', managedFields: [{}] } }], 0],
    [JSON_PATCH, [{ op: 'copy', from: '/metadata/managedFields', path: '/metadata/finalizers' }], -1],
    [JSON_PATCH, [{ op: 'test', path: '/metadata/managedFields/0/manager', value: 'maker' }], 1],
    [JSON_PATCH, [{ op: 'add', path: '/data/b', value: '1' }], 2],
  ])('%s %j leaves %d owners', async (type, body, owners) => {
    const { call, patch } = ticking();
    await call({ method: 'POST', url: `${CONFIG_MAPS}?fieldManager=maker`, body: configMapBody(data({ a: '1' })) });
    const patched = await patch(type, 'fieldManager=x', body);
    expect(patched.status === 200 ? managersOf(patched.body).length : -1).toBe(owners);
  });

  it('are shown with the result of a rejected patch', async () => {
    const { call, patch } = ticking();
    await call({ method: 'POST', url: `${CONFIG_MAPS}?fieldManager=maker`, body: configMapBody(data({ a: '1' })) });
    const refused = await patch(MERGE, 'fieldManager=x', { data: { a: 1 } });
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining('managedFields')]);
  });

  it.each<[string, unknown, string]>([
    ['JSON', { metadata: { name: 'a', managedFields: [] } }, 'application/json'],
    ['one empty entry', { metadata: { name: 'a', managedFields: [{}] } }, 'application/json'],
    ['YAML', 'metadata: {name: a, managedFields: []}', 'application/yaml'],
  ])('forget by a PUT of an empty list: %s', async (_name, body, type) => {
    const { call } = ticking();
    await call({ method: 'POST', url: CONFIG_MAPS, body: configMapBody(data({ a: '1' })) });
    const put = await call({
      method: 'PUT',
      url: CONFIG_MAP_A,
      headers: { 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    expect([put.status, managersOf(put.body)]).toEqual([200, []]);
  });

  it('keep ten managers that do not apply', async () => {
    const { call, patch } = ticking();
    await call({ method: 'POST', url: `${CONFIG_MAPS}?fieldManager=m0`, body: configMapBody(data({ k0: '1' })) });
    let last: KubeObject | undefined;
    for (let i = 1; i <= 11; i++) last = (await patch(MERGE, `fieldManager=m${i}`, data({ [`k${i}`]: '1' }))).body;
    const managers = managersOf(last as KubeObject);
    expect(managers).toHaveLength(10);
    expect(managers[0]).toEqual(['ancient-changes Update 2', owned('k0', 'k1', 'k2')]);
  });

  it('do not own fields that the endpoint resets', async () => {
    const strategy = { ...testDefinition().strategy, resetFields: ['data', 'metadata.labels'] };
    const { call } = ticking({ definition: testDefinition({ strategy }) });
    const created = await call({
      method: 'POST',
      url: CONFIG_MAPS,
      body: configMapBody(data({ a: '1' }), { labels: { l: '1' }, annotations: { a: '1' } }),
    });
    expect(managersOf(created.body)).toEqual([
      ['unknown Update 0', { 'f:metadata': { 'f:annotations': { '.': {}, 'f:a': {} } } }],
    ]);
  });

  it('of a subresource are recorded as such, and cannot change owners by hand', async () => {
    const { strategy } = testDefinition();
    const { call, patch } = ticking({ definition: testDefinition({ subresources: { status: { strategy } } }) });
    await call({ method: 'POST', url: `${CONFIG_MAPS}?fieldManager=m`, body: configMapBody(data({ a: '1' })) });
    const path = `${CONFIG_MAP_A}/status`;
    const patched = await patch(
      MERGE,
      'fieldManager=m',
      { ...data({ a: '2' }), metadata: { managedFields: [] } },
      path,
    );
    expect(managersOf(patched.body)).toEqual([
      ['m Update 0', { 'f:data': {} }],
      ['m Update 1 status', fields('a')],
    ]);
  });
});

describe('apply', () => {
  it('creates, owns what it mentions, and removes what it no longer mentions', async () => {
    const { apply } = ticking();
    const created = await apply('fieldManager=m', data({ a: '1', b: '1' }), { labels: { l: '1' } });
    expect([created.status, managersOf(created.body)]).toEqual([
      201,
      [['m Apply 0', { ...fields('a', 'b'), 'f:metadata': { 'f:labels': { 'f:l': {} } } }]],
    ]);
    const again = await apply('fieldManager=m', data({ a: '1', b: '1' }), { labels: { l: '1' } });
    expect([again.status, managersOf(again.body)]).toEqual([200, managersOf(created.body)]);
    const less = await apply('fieldManager=m', data({ b: '2' }));
    expect([less.body['data'], less.body.metadata.labels, managersOf(less.body)]).toEqual([
      { b: '2' },
      undefined,
      [['m Apply 2', fields('b')]],
    ]);
  });

  it('shares fields, conflicts over them, and takes them by force', async () => {
    const { apply } = ticking();
    await apply('fieldManager=one', data({ a: '1', b: '1' }));
    const shared = await apply('fieldManager=two', data({ a: '1' }));
    expect(managersOf(shared.body)).toEqual([
      ['two Apply never', fields('a')],
      ['one Apply 0', fields('a', 'b')],
    ]);
    const conflict = await apply('fieldManager=two', data({ a: '2', b: '2', c: '2' }));
    expect([conflict.status, conflict.body.message, conflict.body.details]).toEqual([
      409,
      'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
      {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' },
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.b' },
        ],
      },
    ]);
    const forced = await apply('fieldManager=two&force=true', data({ a: '2' }));
    expect(managersOf(forced.body)).toEqual([
      ['one Apply 0', fields('b')],
      ['two Apply 3', fields('a')],
    ]);
    const gone = await apply('fieldManager=one', {});
    expect([gone.body['data'], managersOf(gone.body)]).toEqual([{ a: '2' }, [['two Apply 3', fields('a')]]]);
  });

  it('conflicts with managers that do not apply, by the version they spoke', async () => {
    const { apply, patch, call } = ticking();
    await call({ method: 'POST', url: `${CONFIG_MAPS}?fieldManager=one`, body: configMapBody(data({ a: '1' })) });
    await patch(MERGE, 'fieldManager=two', data({ b: '1' }));
    const { body } = await apply('fieldManager=three', data({ a: '3', b: '3' }));
    expect(body.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "one" using v1:\n- .data.a\nconflicts with "two" using v1:\n- .data.b',
    );
  });

  it('gives fields without an owner to before-first-apply', async () => {
    const { apply, server } = ticking();
    server.storage.put({ ...configMapBody(data({ a: '1', b: '1' }), { namespace: 'n', uid: 'u' }) });
    const { body } = await apply('fieldManager=m', data({ a: '1' }));
    expect(managersOf(body)).toEqual([
      ['m Apply never', fields('a')],
      ['before-first-apply Update 0', owned('a', 'b')],
    ]);
  });

  it('lets kubectl take over unchanged fields of client-side apply, and updates its annotation', async () => {
    const { apply, call } = ticking();
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const last = JSON.stringify(configMapBody(data({ a: '1', b: '1' })));
    await call({
      method: 'POST',
      url: `${CONFIG_MAPS}?fieldManager=kubectl-client-side-apply`,
      body: configMapBody(data({ a: '1', b: 'edited' }), { annotations: { [annotation]: last } }),
    });
    const mine = await apply('fieldManager=kubectl', data({ a: '2', b: '2' }));
    expect(mine.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.b',
    );
    const taken = await apply('fieldManager=kubectl', data({ a: '2' }));
    expect([taken.status, taken.body['data'], taken.body.metadata.annotations]).toEqual([
      200,
      { a: '2', b: 'edited' },
      { [annotation]: '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n' },
    ]);
    expect((await apply('fieldManager=other', data({ a: '3' }))).status).toBe(409);
  });

  it('lets kubectl take over nothing that client-side apply left in another version', async () => {
    const { apply, call } = ticking();
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const last = JSON.stringify({ ...configMapBody(data({ a: '1' })), apiVersion: 'v2' });
    await call({
      method: 'POST',
      url: `${CONFIG_MAPS}?fieldManager=kubectl-client-side-apply`,
      body: configMapBody(data({ a: '1' }), { annotations: { [annotation]: last } }),
    });
    expect((await apply('fieldManager=kubectl', data({ a: '2' }))).body.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a',
    );
  });

  it('does not change what it does not mention', async () => {
    const { apply, call } = ticking();
    await call({ method: 'POST', url: CONFIG_MAPS, body: configMapBody(data({ a: '1' }), { finalizers: ['x/y'] }) });
    const { body } = await apply('fieldManager=m', data({ b: '1' }), { finalizers: ['z/z'] });
    expect([body['data'], body.metadata.finalizers]).toEqual([{ a: '1', b: '1' }, ['x/y', 'z/z']]);
  });

  it.each<readonly [string, string, unknown, number, string]>([
    [
      'no manager',
      '',
      configMapBody(),
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    ['no kind', 'fieldManager=m', { metadata: { name: 'a' } }, 400, 'invalid object type: /, Kind='],
    [
      'another kind',
      'fieldManager=m',
      { ...configMapBody(), kind: 'Secret' },
      400,
      'invalid object type: /v1, Kind=Secret',
    ],
    [
      'another name',
      'fieldManager=m',
      configMapBody({}, { name: 'b' }),
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'another namespace',
      'fieldManager=m',
      configMapBody({}, { namespace: 'x' }),
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'managed fields',
      'fieldManager=m',
      configMapBody({}, { managedFields: [] }),
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'a uid',
      'fieldManager=m',
      configMapBody({}, { uid: 'u' }),
      409,
      'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, and no existing object was found',
    ],
    [
      'a list',
      'fieldManager=m',
      '[1]',
      400,
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'a field nobody declared',
      'fieldManager=m',
      configMapBody({ nope: 1 }),
      500,
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .nope: field not declared in schema',
    ],
    [
      'a wrong type',
      'fieldManager=m',
      configMapBody({ data: { a: 1 } }),
      500,
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      'duplicate keys, strictly',
      'fieldManager=m&fieldValidation=Strict',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: one\n  a: two\n',
      400,
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "a" already set in map',
    ],
  ])('refuses %s', async (_name, query, ...[body, status, message]) => {
    const response = await ticking().patch(APPLY, query, body);
    expect([response.status, response.body.message]).toEqual([status, message]);
  });

  it('warns of duplicate keys', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: one, a: two}\n';
    const { status, body: object, warnings } = await ticking().patch(APPLY, 'fieldManager=m', body);
    expect([status, object['data'], warnings]).toEqual([201, { a: 'two' }, ['line 4: key "a" already set in map']]);
  });

  it('of a subresource creates nothing', async () => {
    const { strategy } = testDefinition();
    const { patch } = ticking({ definition: testDefinition({ subresources: { status: { strategy } } }) });
    expect((await patch(APPLY, 'fieldManager=m', configMapBody(), `${CONFIG_MAP_A}/status`)).status).toBe(404);
  });
});

it.each(['PUT', MERGE, STRATEGIC].flatMap((type) => [[type, {}] as const, [type, { unknown: 1 }] as const]))(
  'takes an empty list in an item of an atomic list for a change: %s, with %o',
  async (type, others) => {
    const versions = [{ version: 'v1', schema: Endpoints }];
    const { call, patch } = ticking({ definition: testDefinition({ kind: 'Endpoints', versions }) });
    const object = (subset: object) => ({ kind: 'Endpoints', subsets: [{ addresses: [{ ip: '1' }], ...subset }] });
    const write = (manager: string, subset: object) => {
      const query = `fieldManager=${manager}`;
      if (type !== 'PUT') return patch(type, query, { subsets: object(subset).subsets });
      return call({ method: 'PUT', url: `${CONFIG_MAP_A}?${query}`, body: configMapBody(object(subset)) });
    };
    const own = { 'f:subsets': {} };
    await call({ method: 'POST', url: `${CONFIG_MAPS}?fieldManager=one`, body: configMapBody(object({})) });
    expect(managersOf((await write('two', {})).body)).toEqual([['one Update 0', own]]);
    expect(managersOf((await write('three', { ports: [], ...others })).body)).toEqual([['three Update 2', own]]);
    expect(managersOf((await write('four', {})).body)).toEqual([['three Update 2', own]]);
  },
);

it('refuses to apply over items that have no keys', async () => {
  const versions = [{ version: 'v1', schema: ServiceAccount }];
  const { call, apply } = ticking({ definition: testDefinition({ kind: 'ServiceAccount', versions }) });
  const object = { kind: 'ServiceAccount', secrets: [{ namespace: 'n' }, { namespace: 'm' }] };
  const created = await call({ method: 'POST', url: CONFIG_MAPS, body: configMapBody(object) });
  expect([created.status, managersOf(created.body)]).toEqual([201, []]);
  const { status, body } = await apply('fieldManager=m', { kind: 'ServiceAccount' });
  expect([status, body.message]).toEqual([
    500,
    'failed to create manager for existing fields: failed to convert new object (n/a; /v1, Kind=ServiceAccount) to smd typed: .secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
  ]);
});

it('refuses to apply over items that have no keys beside managed fields', async () => {
  const versions = [{ version: 'v1', schema: ServiceAccount }];
  const { server, apply } = ticking({ definition: testDefinition({ kind: 'ServiceAccount', versions }) });
  const fieldsV1 = { 'f:secrets': {} };
  const managedFields = [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
  const metadata = { namespace: 'n', uid: 'u', managedFields };
  server.storage.put(configMapBody({ kind: 'ServiceAccount', secrets: [{}, {}] }, metadata));
  const { status, body } = await apply('fieldManager=m', { kind: 'ServiceAccount' });
  expect([status, body.message]).toEqual([
    500,
    'failed to create typed live object (n/a; /v1, Kind=ServiceAccount): .secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
  ]);
});

it('refuses to apply over a live object that the version of a manager refuses', async () => {
  const gvk = { group: '', version: 'v2', kind: 'ServiceAccount' };
  const same = (object: KubeObject) => object;
  const versions = [
    { version: 'v1', schema: ServiceAccount },
    { version: 'v2', schema: { ...ServiceAccount, gvk }, toHub: same, fromHub: same },
  ];
  const { server, apply } = ticking({ definition: testDefinition({ kind: 'ServiceAccount', versions }) });
  const entry = { manager: 'x', operation: 'Apply', apiVersion: 'v2', fieldsType: 'FieldsV1' };
  const managedFields = [{ ...entry, fieldsV1: { 'f:secrets': {} } }];
  const secrets = [{ name: 's' }, { name: 's' }];
  const metadata = { namespace: 'n', uid: 'u', managedFields };
  server.storage.put(configMapBody({ kind: 'ServiceAccount', secrets }, metadata));
  const { status, body } = await apply('fieldManager=m', { kind: 'ServiceAccount' }, { labels: { a: 'b' } });
  expect([status, body.message]).toEqual([500, '.secrets: duplicate entries for key [name="s"]']);
});

it('drops managed fields of which one has no version', async () => {
  const { call, apply, server } = ticking();
  const entry = { manager: 'x', operation: 'Apply', apiVersion: 'a/b/c', fieldsType: 'FieldsV1', fieldsV1: {} };
  const metadata = { managedFields: [entry] };
  const created = await call({ method: 'POST', url: CONFIG_MAPS, body: configMapBody(data({ a: '1' }), metadata) });
  expect([created.status, managersOf(created.body)]).toEqual([201, []]);
  server.storage.put(configMapBody({}, { ...metadata, namespace: 'n', uid: 'u' }) as KubeObject);
  const { status, body } = await apply('fieldManager=m', data({ a: '1' }));
  expect([status, body.message]).toEqual([500, 'unexpected GroupVersion string: a/b/c']);
});

it('keeps the fields of a new applied object that a create drops', async () => {
  const { apply } = ticking();
  const given = { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 5, selfLink: '/x' };
  const { status, body } = await apply('fieldManager=m', {}, given);
  expect([status, body.metadata]).toMatchObject([201, given]);
});

it('puts managed fields back that admission made unreadable', async () => {
  const { admission } = recordingChain({
    admit: ({ object }) => {
      if (object !== undefined) object.metadata.managedFields = [{ manager: 'x' }];
    },
  });
  const { call } = ticking({ admission });
  const { body, warnings } = await call({
    method: 'POST',
    url: `${CONFIG_MAPS}?fieldManager=m`,
    body: configMapBody(data({ a: '1' })),
  });
  expect(managersOf(body)).toEqual([['m Update 0', owned('a')]]);
  expect(warnings).toEqual([
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating ' +
      'admission controller; please fix your requests: operation must be `Apply` or `Update`',
  ]);
});

describe('managerName', () => {
  it.each([
    ['mine', 'kubectl/v1.36', 'mine'],
    [undefined, 'kubectl/v1.36 (linux/amd64)', 'kubectl'],
    ['', 'Mozilla 5.0', 'Mozilla 5.0'],
    [undefined, 'a\u0007b\tc/1', 'abc'],
    [undefined, `${'é'.repeat(70)}/1`, 'é'.repeat(64)],
    [undefined, '', 'unknown'],
    [undefined, undefined, 'unknown'],
    [undefined, '/x', 'unknown'],
  ])('%j %j', (fieldManager, userAgent, name) => {
    expect(managerName(fieldManager, userAgent)).toBe(name);
  });
});
