import { type HostileCase, type HostileRequest, sending } from '../hostile-case.ts';

/** Most of the values that a body may have. */
const MAX_ITEMS = 90_000;
const many = <T>(length: number, item: (index: number) => T) => Array.from({ length }, (_, index) => item(index));
const post = (path: string, body: object): HostileRequest => sending('POST', path, 'json', JSON.stringify(body));

const inDefault = (group: string, plural: string) => `${group}/namespaces/default/${plural}`;
const NETWORK_POLICIES = inDefault('/apis/networking.k8s.io/v1', 'networkpolicies');
const ENDPOINTS = inDefault('/api/v1', 'endpoints');
const PODS = inDefault('/api/v1', 'pods');
const ACCOUNTS = inDefault('/api/v1', 'serviceaccounts');
const SERVICES = inDefault('/api/v1', 'services');
const LIMIT_RANGES = inDefault('/api/v1', 'limitranges');
const CSI_NODES = '/apis/storage.k8s.io/v1/csinodes';

const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
const metadata = (name: string) => ({ name });

const networkPolicy = (name: string, from = 0) => ({
  metadata: metadata(name),
  spec: {
    podSelector: {},
    ingress: [
      { from: [{ ipBlock: { cidr: '10.0.0.0/8', except: many(MAX_ITEMS / 3, (i) => `${address(i + from)}/32`) } }] },
    ],
  },
});
const endpoints = (name: string, from = 0) => ({
  metadata: metadata(name),
  subsets: [{ addresses: many(MAX_ITEMS / 3, (i) => ({ ip: address(i + from) })), ports: [{ port: 80 }] }],
});
const tolerations = (count: number, from = 0) =>
  many(count, (i) => ({ key: `k${i + from}`, operator: 'Exists', effect: 'NoSchedule' }));

interface Named {
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/** An update that turns the order of many entries around, or replaces them by others. */
function updated(name: string, path: string, before: Named, after: object): HostileCase {
  const { metadata: stored } = before;
  return {
    name,
    before: [post(ACCOUNTS, { metadata: metadata('robot') }), post(path, before)],
    request: () => sending('PATCH', `${path}/${stored.name}`, 'merge', JSON.stringify(after)),
    status: 200,
    maxResponse: 2 ** 23,
  };
}

/** Updates and creates in which a check of each entry against each other one would take minutes. */
export const UPDATE_CASES: readonly HostileCase[] = [
  updated('networks of a policy', NETWORK_POLICIES, networkPolicy('updated'), networkPolicy('updated', 1)),
  updated('addresses of endpoints', ENDPOINTS, endpoints('updated'), endpoints('updated', 1)),
  updated(
    'tolerations of a pod',
    PODS,
    {
      metadata: metadata('tolerant'),
      spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }], tolerations: tolerations(9_000) },
    },
    { spec: { tolerations: tolerations(18_000).toReversed() } },
  ),
  {
    name: 'managed fields of 80,000 indexes',
    request: (name) => {
      const indexes = Object.fromEntries(many(80_000, (i) => [`i:${80_000 - i}`, {}]));
      const managedFields = [
        {
          manager: 'm',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': indexes },
        },
      ];
      return post(inDefault('/api/v1', 'configmaps'), { metadata: { name, managedFields }, data: { a: 'b' } });
    },
    status: 201,
    maxResponse: 2 ** 22,
  },
  {
    name: 'managed fields of 16,000 managers',
    request: (name) => {
      const managedFields = many(16_000, (i) => ({
        manager: `m${i}`,
        operation: 'Update',
        apiVersion: 'v1',
        time: '2020-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
      }));
      return post(inDefault('/api/v1', 'configmaps'), { metadata: { name, managedFields } });
    },
    status: 201,
    maxResponse: 2 ** 22,
  },
  {
    name: 'families of a service',
    request: (name) =>
      post(SERVICES, {
        metadata: metadata(name),
        spec: { ports: [{ port: 1 }], ipFamilies: many(MAX_ITEMS / 3, (i) => `f${i}`) },
      }),
    status: 422,
    maxResponse: 2 ** 20,
  },
  {
    name: 'types of limits',
    request: (name) =>
      post(LIMIT_RANGES, {
        metadata: metadata(name),
        spec: { limits: many(MAX_ITEMS / 3, (i) => ({ type: `a.io/t${i}` })) },
      }),
    status: 201,
    maxResponse: 2 ** 23,
  },
  {
    name: 'drivers of a node',
    request: (name) =>
      post(CSI_NODES, {
        metadata: metadata(name),
        spec: { drivers: many(MAX_ITEMS / 4, (i) => ({ name: `d${i}.io`, nodeID: 'n' })) },
      }),
    status: 201,
    maxResponse: 2 ** 23,
  },
  {
    name: 'a schedule of a million minutes',
    request: (name) =>
      post(inDefault('/apis/batch/v1', 'cronjobs'), {
        metadata: metadata(name),
        spec: {
          schedule: `${'0,'.repeat(600_000)}0 * * * *`,
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
          },
        },
      }),
    status: 201,
    maxResponse: 2 ** 22,
  },
];
