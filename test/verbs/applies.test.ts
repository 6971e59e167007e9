import type { ObjectMeta } from '@apiserver/apimachinery';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Conversation, type Line } from './conversation.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const CONFIG_MAP = `${NAMESPACE}/configmaps/a?fieldManager=m`;
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/d';

const configMap = (rest: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  ...rest,
});
const deployment = (container: object = {}, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', ...container }] } },
    ...spec,
  },
});
const scale = (replicas: number) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'd' },
  spec: { replicas },
});

let talk: Conversation;
beforeAll(async () => {
  talk = await Conversation.start();
  await talk.body(`APPLY ${CONFIG_MAP}`, configMap({ data: { k: 'v', l: 'w' } }));
  await talk.body(`MERGE ${NAMESPACE}/configmaps/a?fieldManager=u`, { data: { m: 'x' } });
  await talk.body(`POST ${NAMESPACE}/events?fieldManager=u`, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    type: 'Normal',
    reason: 'r',
    involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'a' },
  });
  await talk.body('POST /apis/events.k8s.io/v1/namespaces/default/events?fieldManager=u', {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'f' },
    eventTime: '2024-01-02T03:04:05.000000Z',
    reportingController: 'c.io/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    type: 'Normal',
    series: { count: 2, lastObservedTime: '2024-01-02T03:04:05.000000Z' },
    regarding: { kind: 'ConfigMap', namespace: 'default', name: 'a' },
  });
  await talk.body(`APPLY ${DEPLOYMENT}?fieldManager=m`, deployment({ ports: [{ containerPort: 80 }] }));
});
afterAll(() => talk[Symbol.asyncDispose]());

const CONFIG_MAP_OBJECT = '(/a; /v1, Kind=ConfigMap)';
const DEPLOYMENT_OBJECT = '(/d; apps/v1, Kind=Deployment)';

const refused: readonly Line[] = [
  [
    'no manager',
    `APPLY ${NAMESPACE}/configmaps/a?force=true&dryRun=x`,
    configMap(),
    '422 Invalid: PatchOptions.meta.k8s.io "" is invalid: [fieldManager: Required value: is required for apply patch, dryRun: Unsupported value: ["x"]: supported values: "All"]',
  ],
  [
    'no apiVersion',
    `APPLY ${CONFIG_MAP}`,
    { kind: 'ConfigMap' },
    '400 BadRequest: invalid object type: /, Kind=ConfigMap',
  ],
  [
    'a time that its version cannot read, beside a manager of another group',
    `APPLY /apis/events.k8s.io/v1/namespaces/default/events/e?fieldManager=m`,
    { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'e' }, eventTime: '2024-01-02T03:04:05Z' },
    '500 unknown: failed to convert new object (/e; events.k8s.io/v1, Kind=Event) to proper version: unable to convert unstructured object to events.k8s.io/v1, Kind=Event: parsing time "TIME" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  ['no kind', `APPLY ${CONFIG_MAP}`, { apiVersion: 'v1' }, '400 BadRequest: invalid object type: /v1, Kind='],
  [
    'an impossible apiVersion',
    `APPLY ${CONFIG_MAP}`,
    { apiVersion: 'a/b/c', kind: 'x' },
    '400 BadRequest: invalid object type: /, Kind=',
  ],
  ['nothing', `APPLY ${CONFIG_MAP}`, 'null', '400 BadRequest: invalid object type: /, Kind='],
  [
    'text',
    `APPLY ${CONFIG_MAP}`,
    '"x"',
    '400 BadRequest: error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type map[string]interface {}',
  ],
  [
    'no YAML',
    `APPLY ${CONFIG_MAP}`,
    'a: [',
    '400 BadRequest: error decoding YAML: error converting YAML to JSON: yaml: line 1: did not find expected node content',
  ],
  [
    'keys that stand twice, Strict',
    `APPLY ${CONFIG_MAP}&fieldValidation=Strict`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v, k: v}\n',
    '400 BadRequest: error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 4: key "k" already set in map',
  ],
  [
    'another name',
    `APPLY ${CONFIG_MAP}`,
    configMap({}, { name: 'b' }),
    '400 BadRequest: the name of the object (b) does not match the name on the URL (a)',
  ],
  [
    'no name',
    `APPLY ${CONFIG_MAP}`,
    configMap({}, { name: '' }),
    '400 BadRequest: the name of the object (a based on URL) was undeterminable: name must be provided',
  ],
  [
    'managed fields',
    `APPLY ${CONFIG_MAP}`,
    configMap({}, { managedFields: [] }),
    '400 BadRequest: metadata.managedFields must be nil',
  ],
  [
    'another uid',
    `APPLY ${CONFIG_MAP}`,
    configMap({}, { uid: 'x' }),
    '422 Invalid: ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable',
  ],
  [
    'a uid of what is not there',
    `APPLY ${NAMESPACE}/configmaps/b?fieldManager=m`,
    configMap({}, { name: 'b', uid: 'x' }),
    '409 Conflict: Operation cannot be fulfilled on configmaps "b": uid mismatch: the provided object specified uid x, and no existing object was found',
  ],
  [
    'an old version',
    `APPLY ${CONFIG_MAP}`,
    configMap({}, { resourceVersion: '1' }),
    '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'a namespace that is not there',
    'APPLY /api/v1/namespaces/no/configmaps/a?fieldManager=m',
    configMap(),
    '404 NotFound: namespaces "no" not found',
  ],
  [
    'an unknown field, Ignore',
    `APPLY ${CONFIG_MAP}&fieldValidation=Ignore`,
    configMap({ x: 1 }),
    `500 unknown: failed to create typed patch object ${CONFIG_MAP_OBJECT}: .x: field not declared in schema`,
  ],
  [
    'a wrong type',
    `APPLY ${CONFIG_MAP}`,
    configMap({ data: ['x'] }),
    `500 unknown: failed to create typed patch object ${CONFIG_MAP_OBJECT}: .data: expected map, got &{[x]}`,
  ],
  [
    'finalizers that stand twice',
    `APPLY ${CONFIG_MAP}`,
    configMap({}, { finalizers: ['a/b', 'a/b'] }),
    `500 unknown: failed to create typed patch object ${CONFIG_MAP_OBJECT}: .metadata.finalizers: duplicate entries for key [="a/b"]`,
  ],
  [
    'items that stand twice',
    `APPLY ${DEPLOYMENT}?fieldManager=m`,
    deployment({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] }),
    `500 unknown: failed to create typed patch object ${DEPLOYMENT_OBJECT}: .spec.template.spec.containers[name="c"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]`,
  ],
  [
    'what does not convert',
    `APPLY ${DEPLOYMENT}?fieldManager=m`,
    deployment({ resources: { limits: { cpu: 'x' } } }),
    `500 unknown: failed to convert new object ${DEPLOYMENT_OBJECT} to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
  ],
  [
    'a conflict',
    `APPLY ${NAMESPACE}/configmaps/a?fieldManager=n`,
    configMap({ data: { k: 'x' } }),
    '409 Conflict: Apply failed with 1 conflict: conflict with "m": .data.k',
  ],
  [
    'conflicts',
    `APPLY ${NAMESPACE}/configmaps/a?fieldManager=n`,
    configMap({ data: { k: 'x', l: 'x', m: 'y' } }),
    '409 Conflict: Apply failed with 3 conflicts: conflicts with "m":\n- .data.k\n- .data.l\nconflicts with "u" using v1:\n- .data.m',
  ],
  [
    'a status of what is not there',
    'APPLY /apis/apps/v1/namespaces/default/deployments/no/status?fieldManager=m',
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'no' } },
    '404 NotFound: deployments.apps "no" not found',
  ],
  [
    'a scale of another kind',
    `APPLY ${DEPLOYMENT}/scale?fieldManager=n`,
    deployment(),
    '400 BadRequest: invalid object type: apps/v1, Kind=Deployment',
  ],
  [
    'a conflict of a scale',
    `APPLY ${DEPLOYMENT}/scale?fieldManager=n`,
    scale(5),
    '409 Conflict: Apply failed with 1 conflict: conflict with "m": .spec.replicas',
  ],
];

describe('an apply is refused', () => {
  test.each(refused)('%s', async (_about, request, body, summary) => {
    expect(await talk.summary(request, body)).toBe(summary);
  });
});

// Upstream's type converter of /api has no types of other groups.
test('an apply does not conflict with a manager of another group', async () => {
  const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'f' }, reason: 's', series: { count: 3 } };
  expect(await talk.summary(`APPLY ${NAMESPACE}/events/f?fieldManager=m`, event)).toBe('200');
});

describe('an apply', () => {
  it('creates a missing object, with any version', async () => {
    const path = `APPLY ${NAMESPACE}/configmaps/new?fieldManager=m`;
    const object = configMap({ data: { k: 'v' } }, { name: 'new', resourceVersion: '1' });
    expect([await talk.summary(`${path}&dryRun=All`, object), await talk.summary(path, object)]).toEqual([
      '201',
      '201',
    ]);
  });

  it('of a scale takes the replicas, which the next apply of the whole finds out', async () => {
    expect(await talk.summary(`APPLY ${DEPLOYMENT}/scale?fieldManager=n&force=true`, scale(5))).toBe('200');
    expect(await talk.summary(`APPLY ${DEPLOYMENT}?fieldManager=m`, deployment({ image: 'j' }))).toBe(
      '409 Conflict: Apply failed with 1 conflict: conflict with "n" with subresource "scale": .spec.replicas',
    );
  });

  it('of a scale may conflict about its status, which it does not change', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    await talk.body(`POST ${path}?fieldManager=m`, { ...deployment(), metadata: { name: 'e' } });
    await talk.body(`MERGE ${path}/e?fieldManager=m`, { metadata: { managedFields: [] } });
    const applied = { ...scale(2), metadata: { name: 'e' }, status: { selector: 'x=y' } };
    expect(await talk.summary(`APPLY ${path}/e/scale?fieldManager=n`, applied)).toBe(
      '409 Conflict: Apply failed with 1 conflict: conflict with "before-first-apply" with subresource "scale" using autoscaling/v1: .status.selector',
    );
  });
});

describe('an update through a version that is converted', () => {
  it('takes a list in which it sends empty lists, as through the version of the hub', async () => {
    await using beta = await Conversation.start({ args: ['--runtime-config=resource.k8s.io/v1beta2=true'] });
    const slices = '/apis/resource.k8s.io/v1beta2/resourceslices';
    const slice = (device: object) => ({
      apiVersion: 'resource.k8s.io/v1beta2',
      kind: 'ResourceSlice',
      metadata: { name: 's' },
      spec: {
        driver: 'd.io',
        nodeName: 'n',
        pool: { name: 'p', resourceSliceCount: 1 },
        devices: [{ name: 'd', ...device }],
      },
    });
    await beta.body(`POST ${slices}?fieldManager=m`, slice({}));
    const { metadata } = await beta.body(`PUT ${slices}/s?fieldManager=n`, slice({ taints: [] }));
    const { managedFields } = metadata as ObjectMeta;
    expect(managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ['m', { 'f:spec': { 'f:driver': {}, 'f:nodeName': {}, 'f:pool': { 'f:name': {}, 'f:resourceSliceCount': {} } } }],
      ['n', { 'f:spec': { 'f:devices': {} } }],
    ]);
  });
});
