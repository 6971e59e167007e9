import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { Conversation, type Line } from './conversation.ts';

const GADGETS = '/apis/verbs.example.com/v1/namespaces/default/gadgets';
const A = `${GADGETS}/a`;
const KIND = 'Gadget in version "v1" cannot be handled as a Gadget';
const MUST_BE = 'must be specified for an update';

const schema = {
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        list: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
        },
        untyped: {
          type: 'array',
          items: { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        },
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
        },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, x: { type: 'string' } } },
  },
};
const definition = customResourceDefinition('verbs.example.com', 'Gadget', schema, {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
});
const gadget = (rest: object = {}, metadata: object = {}) => ({
  apiVersion: 'verbs.example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'a', ...metadata },
  ...rest,
});

let talk: Conversation;

/** Waits until there is an endpoint. */
async function served(path: string): Promise<void> {
  await vi.waitFor(async () => expect(await talk.summary(`GET ${path}`)).toBe('200'), 30_000);
}

beforeAll(async () => {
  talk = await Conversation.start();
  await talk.body(`POST ${DEFINITIONS}`, definition);
  await served(GADGETS);
  await talk.body(`POST ${GADGETS}`, gadget());
});
afterAll(() => talk[Symbol.asyncDispose]());

const faulty =
  '{"apiVersion":"verbs.example.com/v1","kind":"Gadget","foo":1,"foo":2,"metadata":{"name":"b","x":1,"labels":{"a":"1",' +
  '"a":"2"}},"spec":{"replicas":1,"replicas":2,"u":1,"free":{"any":1,"known":{"z":1}},"list":[{"name":"x","zz":1}],' +
  '"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","bad":1},"spec":{"b":1},"status":1}}}';
const faults = [
  'duplicate field "foo"',
  'duplicate field "metadata.labels.a"',
  'duplicate field "spec.replicas"',
  'unknown field "metadata.x"',
  'unknown field "foo"',
  'unknown field "spec.free.known.z"',
  'unknown field "spec.list[0].zz"',
  'unknown field "spec.pod.spec.b"',
  'unknown field "spec.pod.status"',
  'unknown field "spec.u"',
  'unknown field "spec.pod.metadata.bad"',
];

const writes: readonly Line[] = [
  [
    'Strict',
    `POST ${GADGETS}?fieldValidation=Strict`,
    faulty,
    `400 BadRequest: ${KIND}: strict decoding error: ${faults.join(', ')}`,
  ],
  ['Warn', `POST ${GADGETS}?dryRun=All`, faulty, ['201', ...faults.map((fault) => `Warning: ${fault}`)].join('\n')],
  ['Ignore', `POST ${GADGETS}?dryRun=All&fieldValidation=Ignore`, faulty, '201'],
  [
    'no kind',
    `POST ${GADGETS}`,
    '{"metadata":{}}',
    `400 BadRequest: the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in '{"metadata":{}}' ({"metadata":{}})`,
  ],
  [
    'no apiVersion',
    `POST ${GADGETS}?dryRun=All`,
    { kind: 'Gadget', metadata: { name: 'b' } },
    '400 BadRequest: the API version in the data () does not match the expected API version (verbs.example.com/v1)',
  ],
  [
    'a custom kind for a definition',
    'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    gadget({}),
    '400 BadRequest: Gadget in version "v1" cannot be handled as a CustomResourceDefinition: ' +
      'no kind "Gadget" is registered for version "verbs.example.com/v1" in scheme "pkg/apiserver/apiserver.go:55"',
  ],
  [
    'another kind',
    `POST ${GADGETS}`,
    gadget({ kind: 'Foo' }),
    '422 Invalid: Foo.verbs.example.com "a" is invalid: kind: Invalid value: "Foo": must be Gadget',
  ],
  [
    'another version',
    `POST ${GADGETS}`,
    gadget({ apiVersion: 'v1' }),
    '400 BadRequest: the API version in the data (v1) does not match the expected API version (verbs.example.com/v1)',
  ],
  [
    'metadata that is none',
    `POST ${GADGETS}`,
    gadget({ metadata: 'x' }),
    `400 BadRequest: ${KIND}: json: cannot unmarshal string into Go value of type v1.ObjectMeta`,
  ],
  [
    'a label that is none',
    `POST ${GADGETS}`,
    gadget({}, { labels: { a: 1 } }),
    `400 BadRequest: ${KIND}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
  ],
  [
    'embedded metadata that is none',
    `POST ${GADGETS}`,
    gadget({ spec: { pod: { metadata: 1 } } }),
    `400 BadRequest: ${KIND}: spec.pod.metadata: Invalid value: 1: json: cannot unmarshal number into Go value of type v1.ObjectMeta`,
  ],
  [
    'something embedded without kind',
    `POST ${GADGETS}`,
    gadget({ spec: { pod: {} } }),
    '422 Invalid: Gadget.verbs.example.com "a" is invalid: [spec.pod.apiVersion: Required value, spec.pod.kind: Required value]',
  ],
  [
    'a wrong type',
    `POST ${GADGETS}`,
    gadget({ spec: { list: {} } }),
    '422 Invalid: Gadget.verbs.example.com "a" is invalid: spec.list: Invalid value: "object": spec.list in body must be of type array: "object"',
  ],
  [
    'an update without version',
    `PUT ${A}`,
    gadget(),
    `422 Invalid: gadgets.verbs.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: ${MUST_BE}`,
  ],
  [
    'an update of an old version',
    `PUT ${A}`,
    gadget({}, { resourceVersion: '1' }),
    '409 Conflict: Operation cannot be fulfilled on gadgets.verbs.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'an update of what is not there',
    `PUT ${GADGETS}/no`,
    gadget({}, { name: 'no' }),
    '404 NotFound: gadgets.verbs.example.com "no" not found',
  ],
];

const patched = (metadata: string, rest: string) =>
  `"{\\"apiVersion\\":\\"verbs.example.com/v1\\"${rest.includes('kind') ? '' : ',\\"kind\\":\\"Gadget\\"'},\\"metadata\\":{\\"creationTimestamp\\":\\"TIME\\",\\"generation\\":1,\\"name\\":\\"a\\",\\"namespace\\":\\"default\\"${metadata},\\"resourceVersion\\":\\"N\\",\\"uid\\":\\"UID\\"}${rest.replace('kind', '')}}"`;
const patches: readonly Line[] = [
  [
    'strategic',
    `STRATEGIC ${A}`,
    {},
    '415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  ],
  [
    'strategic, of a scale',
    `STRATEGIC ${A}/scale`,
    {},
    '415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  ],
  [
    'faults, Strict',
    `MERGE ${A}?fieldValidation=Strict`,
    '{"spec":{"u":1,"u":2},"metadata":{"q":1}}',
    `422 Invalid:  "" is invalid: patch: Invalid value: ${patched(',\\"q\\":1', ',\\"spec\\":{\\"u\\":2}')}: strict decoding error: duplicate field "spec.u", unknown field "metadata.q", unknown field "spec.u"`,
  ],
  ['faults, Warn', `MERGE ${A}?dryRun=All`, '{"spec":{"u":1}}', '200\nWarning: unknown field "spec.u"'],
  [
    'another kind',
    `MERGE ${A}`,
    { kind: 'Foo' },
    '422 Invalid: Foo.verbs.example.com "a" is invalid: kind: Invalid value: "Foo": must be Gadget',
  ],
  [
    'no apiVersion',
    `MERGE ${A}`,
    { apiVersion: null },
    "500 InternalError: Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
  ],
  [
    'another group',
    `MERGE ${A}`,
    { apiVersion: 'v1' },
    '422 Invalid: Gadget "a" is invalid: apiVersion: Invalid value: "v1": must be verbs.example.com/v1',
  ],
  [
    'no version',
    `MERGE ${A}`,
    { metadata: { resourceVersion: null } },
    `422 Invalid: gadgets.verbs.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: ${MUST_BE}`,
  ],
  [
    'replicas that nobody has set',
    `MERGE ${A}/scale`,
    {},
    '400 BadRequest: the spec replicas field ".spec.replicas" cannot be empty',
  ],
  [
    'a scale without replicas is read',
    `GET ${A}/scale`,
    undefined,
    '500 InternalError: Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
  ],
  [
    'replicas below zero',
    `MERGE ${A}/scale`,
    { spec: { replicas: -1 } },
    '422 Invalid: Gadget.verbs.example.com "a" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
  ],
  ['replicas', `MERGE ${A}/scale`, { spec: { replicas: 3 } }, '200'],
  ['a scale without apiVersion', `MERGE ${A}/scale`, { apiVersion: null }, '200'],
  [
    'a scale of an old version',
    `MERGE ${A}/scale`,
    { spec: { replicas: 4 }, metadata: { resourceVersion: '1' } },
    '409 Conflict: Operation cannot be fulfilled on gadgets.verbs.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
];

const applies: readonly Line[] = [
  [
    'an unknown field',
    `APPLY ${A}?fieldManager=m`,
    gadget({ spec: { u: 1 } }),
    '500 unknown: failed to create typed patch object (/a; verbs.example.com/v1, Kind=Gadget): .spec.u: field not declared in schema',
  ],
  [
    'a wrong type',
    `APPLY ${A}?fieldManager=m`,
    gadget({ spec: { replicas: 'x' } }),
    '500 unknown: failed to create typed patch object (/a; verbs.example.com/v1, Kind=Gadget): .spec.replicas: expected numeric (int or float), got string',
  ],
  [
    'another version',
    `APPLY ${A}?fieldManager=m`,
    gadget({ apiVersion: 'verbs.example.com/v2' }),
    '400 BadRequest: invalid object type: verbs.example.com/v2, Kind=Gadget',
  ],
  [
    'a conflict with a scale',
    `APPLY ${A}?fieldManager=m`,
    gadget({ spec: { replicas: 9 } }),
    '409 Conflict: Apply failed with 1 conflict: conflict with "before-first-apply" using verbs.example.com/v1: .spec.replicas',
  ],
  ['what is not there', `APPLY ${GADGETS}/new?fieldManager=m`, gadget({}, { name: 'new' }), '201'],
  [
    'a status of what is not there',
    `APPLY ${GADGETS}/no/status?fieldManager=m`,
    gadget({}, { name: 'no' }),
    '404 NotFound: gadgets.verbs.example.com "no" not found',
  ],
];

describe.each([
  ['a write of a custom resource', writes],
  ['a patch of a custom resource', patches],
  ['an apply of a custom resource', applies],
])('%s', (_of, lines) => {
  test.each(lines)('%s', async (_about, request, body, summary) => {
    expect(await talk.summary(request, body)).toBe(summary);
  });
});

it('manages fields beside values of any type that could be objects', async () => {
  const created = await talk.body(
    `POST ${GADGETS}?dryRun=All`,
    gadget({ spec: { replicas: 1, untyped: [1, ['b'], { a: 'c' }] } }, { name: 'untyped' }),
  );
  const owned = { 'f:spec': { '.': {}, 'f:replicas': {}, 'f:untyped': {} } };
  expect(created).toMatchObject({ metadata: { managedFields: [{ operation: 'Update', fieldsV1: owned }] } });
});

it('the status is its own, and nobody else`s', async () => {
  const fields = ({ spec, status }: { spec?: unknown; status?: unknown }) => [spec, status];
  const both = { spec: { replicas: 7 }, status: { x: 'y' } };
  expect([
    fields(await talk.body(`MERGE ${A}/status`, both)),
    fields(await talk.body(`MERGE ${A}`, { spec: { replicas: 8 }, status: { x: 'z' } })),
  ]).toEqual([
    [{ replicas: 3 }, { x: 'y' }],
    [{ replicas: 8 }, { x: 'y' }],
  ]);
});

describe('a custom resource of two versions', () => {
  const name = { name: { type: 'string' }, size: { type: 'integer' } };
  const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
  const parts = (more: object = {}) => {
    const items = { type: 'object', required: ['name'], properties: name };
    const spec = { type: 'object', properties: { list: { ...list, ...more, items } } };
    const made = customResourceDefinition('two.verbs.example.com', 'Part', { properties: { spec } });
    const [first] = made.spec.versions;
    return { ...made, spec: { ...made.spec, versions: [first, { ...first, name: 'v2', storage: false }] } };
  };
  const path = (version: string) => `/apis/two.verbs.example.com/${version}/namespaces/default/parts`;
  const part = (items: readonly object[]) => ({
    apiVersion: 'two.verbs.example.com/v1',
    kind: 'Part',
    metadata: { name: 'p' },
    spec: { list: items },
  });
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

  beforeAll(async () => {
    await talk.body(`POST ${DEFINITIONS}`, parts());
    await served(path('v2'));
    expect(await talk.summary(`POST ${path('v1')}`, part([a, b, c]))).toBe('201');
  });

  it('refuses a patch that states the storage version', async () => {
    expect(await talk.summary(`MERGE ${path('v2')}/p`, { apiVersion: 'two.verbs.example.com/v1' })).toBe(
      '422 Invalid: Part.two.verbs.example.com "p" is invalid: apiVersion: Invalid value: "two.verbs.example.com/v1": must be two.verbs.example.com/v2',
    );
  });

  it('keeps a list that has become too long, in any order', async () => {
    const { spec } = parts({ maxItems: 2 });
    await talk.body(`MERGE ${DEFINITIONS}/parts.two.verbs.example.com`, { spec });
    const tooLong =
      '422 Invalid: Part.two.verbs.example.com "p" is invalid: spec.list: Too many: 3: must have at most 2 items';
    const write = (...items: readonly object[]) => talk.summary(`MERGE ${path('v1')}/p`, { spec: { list: items } });
    await expect.poll(() => write(a, b, { name: 'd' })).toBe(tooLong);
    expect([await write(c, a, b), await write(c, { ...a, size: 1 }, b)]).toEqual(['200', tooLong]);
  });
});

// Upstream: test/integration/etcd/crd_overlap_storage_test.go
it.each([
  ['apiregistration.k8s.io', 'APIService'],
  ['apiextensions.k8s.io', 'CustomResourceDefinition'],
])('keeps the built-in objects of %s when a definition of their resource is deleted', async (group, kind) => {
  const { metadata, spec } = customResourceDefinition(group, kind);
  const { plural } = spec.names;
  const endpoint = `/apis/${group}/v1`;
  const names = async () => {
    const { items = [] } = Object(await talk.body(`GET ${endpoint}/${plural}`));
    return items.map((item: { metadata: { name: string } }) => item.metadata.name);
  };
  const [before, discovered] = [await names(), await talk.body(`GET ${endpoint}`)];
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, testing only' };
  await talk.body(`POST ${DEFINITIONS}`, {
    metadata: { ...metadata, annotations, finalizers: ['verbs.example.com/wait'] },
    spec: { ...spec, scope: 'Cluster', names: { plural, kind: `Custom${kind}` } },
  });
  const one = `${DEFINITIONS}/${metadata.name}`;
  const condition = async (type: string) => {
    const { conditions = [] } = Object(Object(await talk.body(`GET ${one}`))['status']);
    return conditions.find((condition: { type: string }) => condition.type === type);
  };
  await expect.poll(() => condition('Established')).toMatchObject({ status: 'True' });
  expect(await talk.body(`GET ${endpoint}`)).toEqual(discovered);

  await talk.body(`DELETE ${one}`);
  await expect
    .poll(() => condition('Terminating'))
    .toMatchObject({
      status: 'False',
      reason: 'OverlappingBuiltInResource',
      message: 'instances overlap with built-in resources in storage',
    });
  await talk.body(`MERGE ${one}`, { metadata: { finalizers: null } });
  await expect.poll(() => talk.summary(`GET ${one}`)).toMatch('404');
  // Other definitions come and go, and so do their APIServices.
  expect(await names()).toEqual(expect.arrayContaining(before));
  expect(await talk.body(`GET ${endpoint}`)).toEqual(discovered);
});

// Upstream: CRDBuiltinOverlapPrecence in test/integration/apiserver/discovery/discovery_test.go
it('adds nothing to the group version of definitions', async () => {
  const v1 = () => talk.body('GET /apis/apiextensions.k8s.io/v1');
  const builtIn = await v1();
  const { metadata, spec } = customResourceDefinition('apiextensions.k8s.io', 'Bar');
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, testing only' };
  const versions = [...spec.versions, { ...spec.versions[0], name: 'vfake', storage: false }];
  await talk.body(`POST ${DEFINITIONS}`, { metadata: { ...metadata, annotations }, spec: { ...spec, versions } });
  const groupVersions = async () => {
    const { versions: all = [] } = Object(await talk.body('GET /apis/apiextensions.k8s.io'));
    return all.map(({ version }: { version: string }) => version);
  };
  await expect.poll(groupVersions).toEqual(['vfake', 'v1']);
  expect(await v1()).toEqual(builtIn);
  expect(await talk.summary('GET /apis/apiextensions.k8s.io/v1/namespaces/default/bars')).toBe(
    '404 NotFound: the server could not find the requested resource',
  );
  for (const path of ['/namespaces/default/bars', '/namespaces/default/bars/x', '/other']) {
    expect(await talk.summary(`GET /apis/apiextensions.k8s.io/vfake${path}`)).toBe(
      '404 NotFound: the server could not find the requested resource',
    );
  }
  await talk.body(`DELETE ${DEFINITIONS}/bars.apiextensions.k8s.io`);
  await expect.poll(groupVersions).toEqual(['v1']);
  expect(await v1()).toEqual(builtIn);
});

// Managed fields nest deeper than the fields that they name, and operations deeper than the patch is.
it('changes and deletes an object of any depth that it has stored', async () => {
  const nested = (levels: number) => Array.from({ length: levels }).reduce((inner: unknown) => ({ a: inner }), 1);
  const deep = (levels: number) => gadget({ spec: { free: { x: nested(levels) } } }, { name: 'deep' });
  const path = `${GADGETS}/deep`;
  const deepen = [{ op: 'add', path: `/spec/free/x${'/a'.repeat(600)}`, value: nested(600) }];
  // Each copy into the innermost object doubles the depth.
  const copies = [600, 1_200, 2_400, 4_800, 9_600].map((levels) => {
    return { op: 'copy', from: '/spec/free/x', path: `/spec/free/x${'/a'.repeat(levels)}` };
  });
  expect([
    await talk.summary(`POST ${GADGETS}`, deep(998)),
    await talk.summary(`POST ${GADGETS}`, deep(997)),
    await talk.summary(`MERGE ${path}`, { metadata: { labels: { a: 'b' } } }),
    await talk.summary(`JSON ${path}`, [{ op: 'replace', path: '/spec/free/x', value: nested(600) }]),
    await talk.summary(`JSON ${path}`, deepen),
    await talk.summary(`JSON ${path}`, copies),
    await talk.summary(`DELETE ${path}`),
  ]).toEqual([
    `400 BadRequest: ${KIND}: exceeded max depth`,
    '201',
    '200',
    '200',
    '400 BadRequest: error decoding patch: exceeded max depth',
    '400 BadRequest: error decoding patch: exceeded max depth',
    '200',
  ]);
});

// Upstream: TestCRDShadowGroup of test/integration/controlplane/crd_test.go
it('leaves a built-in group version as it is when a definition names it', async () => {
  const v1 = () => talk.body('GET /apis/networking.k8s.io/v1');
  const builtIn = await v1();
  const shadow = customResourceDefinition('networking.k8s.io', 'Shadow');
  const { versions } = shadow.spec;
  const approval = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/1111' };
  const created = await talk.body(`POST ${DEFINITIONS}`, {
    ...shadow,
    metadata: { ...shadow.metadata, annotations: approval },
    spec: { ...shadow.spec, versions: [...versions, { ...versions[0], name: 'v2', storage: false }] },
  });
  expect(created.kind).toBe('CustomResourceDefinition');
  const groupVersions = async () => {
    const { versions: all = [] } = Object(await talk.body('GET /apis/networking.k8s.io'));
    return all.map(({ version }: { version: string }) => version);
  };
  await expect.poll(groupVersions).toEqual(['v2', 'v1']);
  expect(await v1()).toEqual(builtIn);
  for (const version of ['v1', 'v2']) {
    expect(await talk.summary(`GET /apis/networking.k8s.io/${version}/namespaces/default/shadows`)).toBe(
      '404 NotFound: the server could not find the requested resource',
    );
  }
  await talk.body(`DELETE ${DEFINITIONS}/shadows.networking.k8s.io`);
});
