import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import { type CustomKind, definitionOf, objectsOf } from '../custom-kind.ts';
import { type HostileCase, type HostileRequest, MIB, sending } from '../hostile-case.ts';

const PODS = '/api/v1/namespaces/default/pods';
const GROUP = 'kinds.hostile.example';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const list = <T>(length: number, item: (index: number) => T): T[] => Array.from({ length }, (_, index) => item(index));
const names = (letter: string, length: number) => list(length, (index) => `${letter}${index}`);

/** A request that creates an object, as a dry run. */
const make = (path: string, rest: object, status = 201) => ({
  request: (name: string) =>
    sending('POST', `${path}?dryRun=All`, 'json', JSON.stringify({ metadata: { name }, ...rest })),
  status,
  maxResponse: 4 * MIB,
});
const container = { name: 'c', image: 'i' };
const pod = (spec: object, status = 201) => ({
  ...make(PODS, { spec: { containers: [container], ...spec } }, status),
  before: [sending('POST', '/api/v1/namespaces/default/serviceaccounts', 'json', '{"metadata":{"name":"default"}}')],
});
const topologies = (terms: readonly object[]) =>
  make('/apis/storage.k8s.io/v1/storageclasses', { provisioner: 'a', allowedTopologies: terms });

const schema = (props: object) => ({ openAPIV3Schema: { type: 'object', ...props } });
const definition = (plural: string, versions: readonly object[]) => ({
  metadata: { name: `${plural}.${GROUP}` },
  spec: { group: GROUP, names: { plural, kind: plural }, scope: 'Cluster', versions },
});
const version = { name: 'v1', served: true, storage: true };
const define = (plural: string, versions: readonly object[], status: number) => ({
  request: () => sending('POST', `${DEFINITIONS}?dryRun=All`, 'json', JSON.stringify(definition(plural, versions))),
  status,
  maxResponse: 8 * MIB,
});

const SHOWN: CustomKind = { group: GROUP, kind: 'Shown', schema: { 'x-kubernetes-preserve-unknown-fields': true } };

const keys = names('k', 30_000);
const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets';

/** Selects by many labels, and has not been read. */
function unreadReplicaSet(): readonly HostileRequest[] {
  const labels = Object.fromEntries(names('k', 40_000).map((key) => [key, '']));
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  };
  return [
    { method: 'DELETE', path: `${REPLICA_SETS}/scaled` },
    sending('POST', REPLICA_SETS, 'json', JSON.stringify({ metadata: { name: 'scaled' }, spec })),
  ];
}

/** Adds an ephemeral container with these arguments, or changes it. */
function debugging(args: readonly string[]): HostileRequest {
  const ephemeralContainers = [{ name: 'e', image: 'i', args }];
  const path = `${PODS}/debugged/ephemeralcontainers`;
  return sending('PATCH', path, 'merge', JSON.stringify({ spec: { ephemeralContainers } }));
}

const mapList = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: {
    type: 'object',
    properties: Object.fromEntries(keys.slice(0, 15_000).map((key) => [key, { type: 'string' }])),
  },
};

const containers = (length: number) => list(length, (index) => ({ ...container, name: `c${index}` }));
const limitRange = (namespace: string, length: number) => {
  const amounts = Object.fromEntries(list(length, (index) => [`example.com/r${index}`, '1']));
  const limits = [{ type: 'Container', default: amounts }];
  const body = JSON.stringify({ metadata: { name: 'limits' }, spec: { limits } });
  return sending('POST', `/api/v1/namespaces/${namespace}/limitranges`, 'json', body);
};

/** An object of this many levels. */
function nested(levels: number): object {
  let value = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}
const columns = ['..a..a..a..a', '.spec..*..*..*', '..a..a..a'].map((jsonPath, index) => ({
  name: `c${index}`,
  type: 'string',
  jsonPath,
}));
const tabular: readonly HostileRequest[] = [
  sending(
    'POST',
    DEFINITIONS,
    'json',
    JSON.stringify(
      definition('rows', [
        {
          ...version,
          schema: schema({ 'x-kubernetes-preserve-unknown-fields': true }),
          additionalPrinterColumns: columns,
        },
      ]),
    ),
  ),
  ...list(20, (index) =>
    sending(
      'POST',
      `/apis/${GROUP}/v1/rows`,
      'json',
      JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'rows', metadata: { name: `r${index}` }, spec: nested(300) }),
    ),
  ),
];

/** Long lists whose items are compared with each other, and paths that read an object again and again. */
export const KIND_CASES: readonly HostileCase[] = [
  {
    name: 'a changed ephemeral container with many arguments',
    before: [
      sending('POST', '/api/v1/namespaces/default/serviceaccounts', 'json', '{"metadata":{"name":"default"}}'),
      sending(
        'POST',
        PODS,
        'json',
        JSON.stringify({ metadata: { name: 'debugged' }, spec: { containers: [container] } }),
      ),
      debugging([]),
    ],
    request: () => debugging(list(95_000, () => 'a')),
    status: 422,
    maxResponse: MIB,
  },
  {
    name: 'no kind, and much space, in a body that a message shows',
    before: [definitionOf(SHOWN)],
    request: () => {
      const body = `{"apiVersion":${' '.repeat(MIB)}"${GROUP}/v1"}`;
      return sending('POST', `${objectsOf(SHOWN)}?fieldValidation=Ignore`, 'json', body);
    },
    status: 400,
  },
  {
    name: 'values of a topology',
    ...topologies([{ matchLabelExpressions: [{ key: 'a', values: names('v', 60_000) }] }]),
  },
  {
    name: 'terms of topologies',
    ...topologies(list(12_000, (i) => ({ matchLabelExpressions: [{ key: 'a', values: [`b${i}`] }] }))),
  },
  {
    name: 'topology keys of a driver',
    ...make('/apis/storage.k8s.io/v1/csinodes', {
      spec: { drivers: [{ name: 'a', nodeID: 'b', topologyKeys: names('k', 60_000) }] },
    }),
  },
  {
    name: 'networks of a node',
    ...make('/api/v1/nodes', { spec: { podCIDRs: list(40_000, (i) => `10.${i >> 8}.${i & 255}.0/24`) } }, 422),
  },
  {
    name: 'spread constraints of a pod',
    ...pod({
      topologySpreadConstraints: list(10_000, (i) => ({
        maxSkew: 1,
        topologyKey: `k${i}`,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: {},
      })),
    }),
  },
  {
    name: 'label keys of a spread constraint',
    ...pod({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'k',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchExpressions: list(10_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) },
          matchLabelKeys: names('k', 30_000),
        },
      ],
    }),
  },
  {
    name: 'a resource of its own for each restartable init container',
    ...pod({
      resources: { limits: { cpu: '1' } },
      initContainers: list(5_000, (i) => {
        const amounts = { [`example.com/r${i}`]: '1' };
        const resources = { requests: amounts, limits: amounts };
        return { name: `i${i}`, image: 'i', restartPolicy: 'Always', resources };
      }),
    }),
  },
  {
    name: 'claims of a container',
    ...pod({
      resourceClaims: list(12_000, (i) => ({ name: `g${i}`, resourceClaimName: 'x' })),
      containers: [{ ...container, resources: { claims: list(12_000, (i) => ({ name: `g${i}` })) } }],
    }),
  },
  {
    name: 'unknown claims of a container',
    ...pod(
      {
        resourceClaims: list(12_000, (i) => ({ name: `g${i}`, resourceClaimName: 'x' })),
        containers: [{ ...container, resources: { claims: list(12_000, (i) => ({ name: `z${i}` })) } }],
      },
      422,
    ),
  },
  {
    name: 'keys of a map list',
    ...define('lists', [{ ...version, schema: schema({ properties: { a: mapList } }) }], 422),
  },
  {
    name: 'versions that are all stored',
    ...define(
      'stores',
      list(8_000, (i) => ({ ...version, name: `v${i + 1}`, schema: schema({}) })),
      422,
    ),
  },
  {
    name: 'defaults of a limit range for many containers',
    before: [
      ...['limited'].flatMap((namespace) => [
        sending('POST', '/api/v1/namespaces', 'json', JSON.stringify({ metadata: { name: namespace } })),
        sending('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, 'json', '{"metadata":{"name":"default"}}'),
      ]),
      limitRange('limited', 8_000),
    ],
    ...make('/api/v1/namespaces/limited/pods', { spec: { containers: containers(8_000) } }, 413),
  },
  {
    name: 'a schedule of a million zeros',
    ...make(
      '/apis/batch/v1/namespaces/default/cronjobs',
      {
        spec: {
          schedule: `${'0'.repeat(1_000_000)}x * * * *`,
          jobTemplate: { spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } },
        },
      },
      422,
    ),
    // The message has the schedule twice.
    maxResponse: 8 * MIB,
  },
  {
    name: 'a template generation of a million zeros',
    ...make(
      '/apis/apps/v1/namespaces/default/daemonsets',
      {
        metadata: {
          name: 'zeros',
          annotations: { 'deprecated.daemonset.template.generation': `${'0'.repeat(1_000_000)}x` },
        },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
        },
      },
      400,
    ),
  },
  {
    name: 'containers in another order',
    before: [
      sending(
        'POST',
        PODS,
        'json',
        JSON.stringify({ metadata: { name: 'ordered' }, spec: { containers: containers(3_000) } }),
      ),
    ],
    request: () =>
      sending(
        'PUT',
        `${PODS}/ordered`,
        'json',
        JSON.stringify({ metadata: { name: 'ordered' }, spec: { containers: containers(3_000).reverse() } }),
      ),
    status: 422,
    maxResponse: MIB,
  },
  {
    name: 'the scale of 40,000 labels',
    before: unreadReplicaSet(),
    request: () => ({ method: 'GET', path: `${REPLICA_SETS}/scaled/scale` }),
    status: 200,
    maxResponse: MIB,
  },
  {
    name: 'recursive columns of deep objects',
    before: tabular,
    request: () => ({ method: 'GET', path: `/apis/${GROUP}/v1/rows`, headers: { accept: TABLE } }),
    status: 200,
    maxResponse: MIB,
  },
];
