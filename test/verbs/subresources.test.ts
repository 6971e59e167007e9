import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Conversation, type Line } from './conversation.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/d';
const POD = `${NAMESPACE}/pods/p`;
const NOT_ALLOWED = '405 MethodNotAllowed: the server does not allow this method on the requested resource';

const scale = (spec: unknown, metadata: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'd', ...metadata },
  spec,
});
const binding = (metadata: object = {}, target: object = { kind: 'Node', name: 'n' }) => ({
  metadata: { name: 'p', ...metadata },
  target,
});
const eviction = (deleteOptions: object = {}, metadata: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name: 'p', ...metadata },
  deleteOptions,
});
const token = (spec: object, metadata: object = {}) => ({ metadata, spec });

let talk: Conversation;
beforeAll(async () => {
  talk = await Conversation.start({ args: ['--disable-admission-plugins=ServiceAccount'] });
  const labels = { a: 'b' };
  const spec = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] };
  await talk.body('POST /api/v1/nodes', {
    metadata: { name: 'n', labels: { 'kubernetes.io/os': 'linux' } },
    status: { allocatable: { cpu: '4', memory: '1Gi' } },
  });
  await talk.body(`POST ${NAMESPACE}/pods`, { metadata: { name: 'p' }, spec });
  await talk.body(`POST ${NAMESPACE}/serviceaccounts`, { metadata: { name: 's' } });
  await talk.body('POST /api/v1/namespaces', { metadata: { name: 'going' } });
  await talk.body('POST /apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
});
afterAll(() => talk[Symbol.asyncDispose]());

const scales: readonly Line[] = [
  [
    'fewer than none',
    `PUT ${DEPLOYMENT}/scale`,
    scale({ replicas: -3 }),
    '422 Invalid: Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0',
  ],
  [
    'text',
    `PUT ${DEPLOYMENT}/scale`,
    scale({ replicas: 'x' }),
    '400 BadRequest: Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
  ],
  [
    'another name',
    `PUT ${DEPLOYMENT}/scale`,
    scale({}, { name: 'x' }),
    '400 BadRequest: the name of the object (x) does not match the name on the URL (d)',
  ],
  [
    'an old version',
    `PUT ${DEPLOYMENT}/scale`,
    scale({}, { resourceVersion: '1' }),
    '409 Conflict: Operation cannot be fulfilled on deployments.apps "d": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'another kind',
    `PUT ${DEPLOYMENT}/scale`,
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
    '400 BadRequest: Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
  ],
  [
    'what is not there',
    'MERGE /apis/apps/v1/namespaces/default/deployments/no/scale',
    {},
    '404 NotFound: deployments.apps "no" not found',
  ],
  ['a create', `POST ${DEPLOYMENT}/scale`, scale({}), NOT_ALLOWED],
  ['a delete', `DELETE ${DEPLOYMENT}/scale`, undefined, NOT_ALLOWED],
];

const bindings: readonly Line[] = [
  ['no node', `POST ${POD}/binding`, binding({}, {}), '500 unknown: target.name: Required value'],
  [
    'no kind of node',
    `POST ${POD}/binding`,
    binding({}, { kind: 'Foo', name: 'n' }),
    '500 unknown: target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>"',
  ],
  [
    'another name',
    `POST ${POD}/binding`,
    binding({ name: 'q' }),
    '400 BadRequest: name in URL does not match name in Binding object',
  ],
  [
    'another uid',
    `POST ${POD}/binding`,
    binding({ uid: 'x' }),
    '409 Conflict: Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: UID',
  ],
  [
    'what is not there',
    `POST ${NAMESPACE}/pods/no/binding`,
    binding({ name: 'no' }),
    '404 NotFound: pods "no" not found',
  ],
  ['dry', `POST ${POD}/binding?dryRun=All`, binding(), '201'],
  ['once', `POST ${POD}/binding`, binding(), '201'],
  [
    'twice',
    `POST ${NAMESPACE}/bindings`,
    binding(),
    '409 Conflict: Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
  ],
];

const evictions: readonly Line[] = [
  [
    'another name',
    `POST ${POD}/eviction`,
    eviction({}, { name: 'q' }),
    '400 BadRequest: name in URL does not match name in Eviction object',
  ],
  ['the old version, dry', `POST ${POD}/eviction?dryRun=All`, { ...eviction(), apiVersion: 'policy/v1beta1' }, '201'],
  ['dry by its options', `POST ${POD}/eviction`, eviction({ dryRun: ['All'] }), '201'],
  [
    'another version of the pod',
    `POST ${POD}/eviction`,
    eviction({ preconditions: { resourceVersion: '1' } }),
    '409 Conflict: Operation cannot be fulfilled on Pod "p": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (N). The object might have been modified',
  ],
  [
    'an unknown policy',
    `POST ${POD}/eviction`,
    eviction({ propagationPolicy: 'x' }),
    '422 Invalid: DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  [
    'another kind',
    `POST ${POD}/eviction`,
    { ...binding(), apiVersion: 'v1', kind: 'Binding' },
    '400 BadRequest: Binding in version "v1" cannot be handled as a Eviction: converting (v1.Binding) to (policy.Eviction): unknown conversion',
  ],
];

const containers: readonly Line[] = [
  [
    'added',
    `STRATEGIC ${POD}/ephemeralcontainers`,
    { spec: { ephemeralContainers: [{ name: 'e', image: 'x' }] } },
    '200',
  ],
  [
    'taken away',
    `MERGE ${POD}/ephemeralcontainers`,
    { spec: { ephemeralContainers: null } },
    '422 Invalid: Pod "p" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n',
  ],
  [
    'resized',
    `STRATEGIC ${POD}/resize`,
    { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] } },
    '200',
  ],
  [
    'resized into another class',
    `STRATEGIC ${POD}/resize`,
    {
      spec: {
        containers: [{ name: 'c', resources: { limits: { cpu: '2', memory: '1' }, requests: { memory: '1' } } }],
      },
    },
    '422 Invalid: Pod "p" is invalid: spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
  ],
];

const ACCOUNT = `${NAMESPACE}/serviceaccounts/s/token`;
const tokens: readonly Line[] = [
  [
    'another name',
    `POST ${ACCOUNT}`,
    token({}, { name: 'x' }),
    '422 Invalid: TokenRequest.authentication.k8s.io "s" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
  ],
  [
    'too short',
    `POST ${ACCOUNT}`,
    token({ expirationSeconds: 5 }),
    '422 Invalid: TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
  ],
  [
    'for a pod that is not there',
    `POST ${ACCOUNT}`,
    token({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'no' } }),
    '404 NotFound: pods "no" not found',
  ],
  [
    'for something else',
    `POST ${ACCOUNT}`,
    token({ boundObjectRef: { kind: 'Foo', apiVersion: 'v1', name: 'no' } }),
    '400 BadRequest: cannot bind token to object of type /v1, Kind=Foo',
  ],
];

const GOING = '/api/v1/namespaces/going';
const namespaces: readonly Line[] = [
  [
    'default',
    'DELETE /api/v1/namespaces/default',
    undefined,
    '403 Forbidden: namespaces "default" is forbidden: this namespace may not be deleted',
  ],
  ['begins to go', `DELETE ${GOING}`, undefined, '200'],
  [
    'takes nothing any more',
    `POST ${GOING}/configmaps`,
    { metadata: { name: 'a' } },
    '403 Forbidden: configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
  ],
  [
    'finalized under another name',
    `PUT ${GOING}/finalize`,
    { metadata: { name: 'x' } },
    '400 BadRequest: the name of the object (x) does not match the name on the URL (going)',
  ],
  ['finalized', `PUT ${GOING}/finalize`, { metadata: { name: 'going' }, spec: {} }, '200'],
  ['is gone', `GET ${GOING}`, undefined, '404 NotFound: namespaces "going" not found'],
];

describe.each([
  ['a scale', scales],
  ['a binding', bindings],
  ['an eviction', evictions],
  ['containers', containers],
  ['a token', tokens],
  ['a namespace', namespaces],
])('%s:', (_of, lines) => {
  test.each(lines)('%s', async (_about, request, body, summary) => {
    expect(await talk.summary(request, body)).toBe(summary);
  });
});

it('a status takes nothing of the spec, and no labels', async () => {
  const sent = {
    metadata: { labels: { x: 'y' }, annotations: { x: 'y' } },
    spec: { replicas: 9 },
    status: { replicas: 2 },
  };
  const { metadata, spec, status } = await talk.body(`MERGE ${DEPLOYMENT}/status`, sent);
  expect([metadata, spec, status]).toEqual([
    expect.objectContaining({ annotations: { x: 'y' } }),
    expect.objectContaining({ replicas: 1 }),
    { replicas: 2 },
  ]);
  expect(metadata).not.toHaveProperty('labels');
});
