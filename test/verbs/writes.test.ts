import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Conversation, type Line } from './conversation.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const UNREADABLE = 'the object provided is unrecognized (must be of type ConfigMap)';
const SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';

const configMap = (metadata: object = {}, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  ...rest,
});

let talk: Conversation;
beforeAll(async () => {
  talk = await Conversation.start();
  await talk.body(`POST ${CONFIG_MAPS}`, configMap({}, { data: { k: 'v' } }));
});
afterAll(() => talk[Symbol.asyncDispose]());

const faulty =
  '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","foo":1,"labels":{"a":"b","a":"c"}},"spec":{' +
  '"replicas":1,"replicas":2,"x":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},' +
  '"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":1,"zz":1,"containerPort":2}],"bad":2}]}}}}';
const faults = [
  'unknown field "metadata.foo"',
  'duplicate field "metadata.labels.a"',
  'duplicate field "spec.replicas"',
  'unknown field "spec.x"',
  'unknown field "spec.template.spec.containers[0].ports[0].zz"',
  'duplicate field "spec.template.spec.containers[0].ports[0].containerPort"',
  'unknown field "spec.template.spec.containers[0].bad"',
];
const yaml = 'metadata: {name: b}\nx: 1\ndata:\n  a: b\n  a: c\n';

const create: readonly Line[] = [
  [
    'Strict',
    `POST ${DEPLOYMENTS}?fieldValidation=Strict`,
    faulty,
    `400 BadRequest: Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ${faults.join(', ')}`,
  ],
  ['Warn', `POST ${DEPLOYMENTS}?dryRun=All`, faulty, ['201', ...faults.map((fault) => `Warning: ${fault}`)].join('\n')],
  ['Ignore', `POST ${DEPLOYMENTS}?dryRun=All&fieldValidation=Ignore`, faulty, '201'],
  [
    'Strict, YAML',
    `POST+yaml ${CONFIG_MAPS}?fieldValidation=Strict`,
    yaml,
    '400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 5: key "a" already set in map, unknown field "x"',
  ],
  [
    'Warn, YAML',
    `POST+yaml ${CONFIG_MAPS}?dryRun=All`,
    yaml,
    '201\nWarning: line 5: key "a" already set in map\nWarning: unknown field "x"',
  ],
  [
    'another directive',
    `POST ${CONFIG_MAPS}?fieldValidation=strict`,
    configMap(),
    '422 Invalid: CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"',
  ],
  [
    'another dry run',
    `POST ${CONFIG_MAPS}?dryRun=All&dryRun=x`,
    configMap(),
    '422 Invalid: CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["All","x"]: supported values: "All"',
  ],
  [
    'too long a manager',
    `POST ${CONFIG_MAPS}?fieldManager=${'m'.repeat(129)}`,
    configMap(),
    '422 Invalid: CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
  ],
  [
    'an unprintable manager',
    `POST ${CONFIG_MAPS}?fieldManager=m%07`,
    configMap(),
    '422 Invalid: CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "m\\a": invalid character U+0007 (at position 1)',
  ],
  [
    'no name',
    `POST ${CONFIG_MAPS}`,
    { metadata: null },
    '422 Invalid: ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  ],
  [
    'another kind',
    `POST ${CONFIG_MAPS}`,
    { ...configMap(), kind: 'Secret' },
    '400 BadRequest: Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ],
  [
    'another group',
    `POST ${CONFIG_MAPS}`,
    { ...configMap(), apiVersion: 'apps/v1' },
    `400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" ${SCHEME}`,
  ],
  [
    'no group and version',
    `POST ${CONFIG_MAPS}`,
    { ...configMap(), apiVersion: 'a/b/c' },
    `400 BadRequest: ${UNREADABLE}: unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)`,
  ],
  [
    'a wrong type',
    `POST ${CONFIG_MAPS}`,
    configMap({}, { data: { a: 1 } }),
    '400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [
    'what is no YAML',
    `POST+yaml ${CONFIG_MAPS}`,
    'a: [',
    `400 BadRequest: ${UNREADABLE}: yaml: line 1: did not find expected node content (613a205b)`,
  ],
  [
    'more than 3 MiB',
    `POST ${CONFIG_MAPS}`,
    JSON.stringify(configMap()).padEnd(3 * 1024 * 1024 + 1),
    '413 RequestEntityTooLarge: Request entity too large: limit is 3145728',
  ],
  ['just 3 MiB', `POST ${CONFIG_MAPS}?dryRun=All`, JSON.stringify(configMap({ name: 'z' })).padEnd(3145728), '201'],
  [
    'another namespace',
    `POST ${CONFIG_MAPS}`,
    configMap({ namespace: 'x' }),
    '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
  ],
  [
    'a version',
    `POST ${CONFIG_MAPS}`,
    configMap({ name: 'b', resourceVersion: '5' }),
    '500 unknown: resourceVersion should not be set on objects to be created',
  ],
  ['a version, dry', `POST ${CONFIG_MAPS}?dryRun=All`, configMap({ name: 'b', resourceVersion: '5' }), '201'],
  [
    'a namespace that is not there',
    '/api/v1/namespaces/nope/configmaps'.replace(/^/, 'POST '),
    configMap(),
    '404 NotFound: namespaces "nope" not found',
  ],
  ['what is there', `POST ${CONFIG_MAPS}`, configMap(), '409 AlreadyExists: configmaps "a" already exists'],
  [
    'what is there, dry',
    `POST ${CONFIG_MAPS}?dryRun=All`,
    configMap(),
    '409 AlreadyExists: configmaps "a" already exists',
  ],
  [
    'all namespaces',
    'POST /api/v1/configmaps',
    configMap(),
    '405 MethodNotAllowed: the server does not allow this method on the requested resource',
  ],
];

describe('a create', () => {
  test.each(create)('%s', async (_about, request, body, summary) => {
    expect(await talk.summary(request, body)).toBe(summary);
  });

  it('keeps from the client what is the server`s', async () => {
    const sent = {
      uid: 'x',
      selfLink: '/x',
      generation: 7,
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 3,
      generateName: 'g-',
      resourceVersion: '0',
    };
    const { metadata } = await talk.body(
      `POST ${CONFIG_MAPS}?dryRun=All&fieldManager=m`,
      configMap({ name: 'b', ...sent }),
    );
    expect(metadata).toEqual({
      name: 'b',
      namespace: 'default',
      generateName: 'g-',
      generation: 7,
      resourceVersion: '0',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      creationTimestamp: expect.not.stringMatching(/^2001/),
      managedFields: [expect.objectContaining({ manager: 'm', operation: 'Update' })],
    });
  });

  it('generates a name from a prefix, cut to 63 characters', async () => {
    const generateName = 'a'.repeat(70);
    const { metadata } = await talk.body(
      `POST ${CONFIG_MAPS}?dryRun=All`,
      configMap({ name: undefined, generateName }),
    );
    expect(metadata).toMatchObject({
      generateName,
      name: expect.stringMatching(/^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/),
    });
  });
});

const A = `${CONFIG_MAPS}/a`;
const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid });
const update: readonly Line[] = [
  [
    'another uid',
    `PUT ${A}`,
    configMap({ uid: 'x' }),
    '409 Conflict: Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: UID',
  ],
  [
    'another uid in a dry run',
    `PUT ${A}?dryRun=All`,
    configMap({ uid: 'x' }),
    '409 Conflict: Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: UID',
  ],
  [
    'an old version',
    `PUT ${A}`,
    configMap({ resourceVersion: '1' }),
    '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'no version',
    `PUT ${A}`,
    configMap({ resourceVersion: 'x' }),
    '500 unknown: strconv.ParseUint: parsing "x": invalid syntax',
  ],
  ['any version', `PUT ${A}?dryRun=All`, configMap(), '200'],
  [
    'no version where one is needed',
    'PUT /apis/storage.k8s.io/v1/csinodes/a',
    { metadata: { name: 'a' }, spec: { drivers: [] } },
    '404 NotFound: csinodes.storage.k8s.io "a" not found',
  ],
  [
    'another name',
    `PUT ${A}`,
    configMap({ name: 'b' }),
    '400 BadRequest: the name of the object (b) does not match the name on the URL (a)',
  ],
  [
    'no name',
    `PUT ${A}`,
    configMap({ name: '' }),
    '400 BadRequest: the name of the object (a based on URL) was undeterminable: name must be provided',
  ],
  ['what is not there', `PUT ${CONFIG_MAPS}/b`, configMap({ name: 'b' }), '404 NotFound: configmaps "b" not found'],
  [
    'what is not there, of a uid',
    `PUT ${CONFIG_MAPS}/b`,
    configMap({ name: 'b', uid: 'x' }),
    '404 NotFound: configmaps "b" not found',
  ],
  [
    'a deletion by hand',
    `PUT ${A}`,
    configMap({ deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 4 }),
    '422 Invalid: ConfigMap "a" is invalid: [metadata.deletionTimestamp: Invalid value: "TIME": field is immutable, metadata.deletionGracePeriodSeconds: Invalid value: 4: field is immutable]',
  ],
  [
    'owners that stand twice',
    `PUT ${A}?dryRun=All`,
    configMap({ ownerReferences: [owner('u'), owner('u'), owner('v'), owner('v')] }),
    '200\nWarning: .metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u, v',
  ],
  [
    'two controllers',
    `PUT ${A}`,
    configMap({ ownerReferences: ['u', 'v'].map((uid) => ({ ...owner(uid), controller: true })) }),
    '422 Invalid: ConfigMap "a" is invalid: metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/p',
  ],
];

describe('an update', () => {
  test.each(update)('%s', async (_about, request, body, summary) => {
    expect(await talk.summary(request, body)).toBe(summary);
  });

  it.each([
    ['leases', '/apis/coordination.k8s.io/v1/namespaces/default/leases/c', { spec: {} }],
    ['events', '/api/v1/namespaces/default/events/c', { involvedObject: { namespace: 'default' } }],
    ['endpoints', '/api/v1/namespaces/default/endpoints/c', {}],
    ['limit ranges', '/api/v1/namespaces/default/limitranges/c', { spec: { limits: [] } }],
    ['services', '/api/v1/namespaces/default/services/c', { spec: { ports: [{ port: 1 }] } }],
    ['roles', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/c', { rules: [] }],
    ['cluster roles', '/apis/rbac.authorization.k8s.io/v1/clusterroles/c', { rules: [] }],
  ])('may create %s', async (_what, path, rest) => {
    const object = { metadata: { name: 'c' }, ...rest };
    expect([await talk.summary(`PUT ${path}?dryRun=All`, object), await talk.summary(`PUT ${path}`, object)]).toEqual([
      expect.stringMatching(/^201/),
      expect.stringMatching(/^201/),
    ]);
  });

  it.each([
    ['secrets', '/api/v1/namespaces/default/secrets/c'],
    ['endpoint slices', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/c'],
    ['deployments', `${DEPLOYMENTS}/c`],
  ])('does not create %s', async (_what, path) => {
    expect(await talk.summary(`PUT ${path}`, { metadata: { name: 'c' } })).toMatch(/^404 NotFound: .* "c" not found$/);
  });
});
