import { CONFIG_MAPS, type HostileCase, type HostileRequest, KIB, sending } from '../hostile-case.ts';

const list = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join(',');

/** The response has the object, with its managed fields. */
const maxResponse = 4 * 1024 * KIB;

const CLASSES = '/apis/node.k8s.io/v1/runtimeclasses';
const PODS = '/api/v1/namespaces/default/pods';
const QUOTAS = '/api/v1/namespaces/quotas/resourcequotas';

const CONTAINER = '{"name":"a","image":"a"}';
const pod = (name: string, rest: string, metadata = '') =>
  `{"metadata":{"name":"${name}"${metadata}},"spec":{"containers":[${CONTAINER}]${rest}}}`;
const tolerations = (count: number, rest = '') =>
  `"tolerations":[${list(count, (i) => `{"key":"k${i}","operator":"Exists"${rest}}`)}]`;
/** Pods need the service account of their namespace. */
const account = (namespace: string): HostileRequest =>
  sending('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, 'json', '{"metadata":{"name":"default"}}');
const runtimeClass = (name: string, scheduling: string): readonly HostileRequest[] => [
  account('default'),
  { method: 'DELETE', path: `${CLASSES}/${name}` },
  sending('POST', CLASSES, 'json', `{"metadata":{"name":"${name}"},"handler":"a","scheduling":{${scheduling}}}`),
];

/** A namespace with a quota whose usage is counted. */
const limited = (name: string, hard: string, rest = ''): readonly HostileRequest[] => [
  sending('POST', '/api/v1/namespaces', 'json', '{"metadata":{"name":"quotas"}}'),
  account('quotas'),
  { method: 'DELETE', path: QUOTAS },
  sending('POST', QUOTAS, 'json', `{"metadata":{"name":"${name}"},"spec":{"hard":{${hard}}${rest}}}`),
  sending('PATCH', `${QUOTAS}/${name}/status`, 'merge', `{"status":{"hard":{${hard}},"used":{${zeros(hard)}}}}`),
];
const zeros = (hard: string) => hard.replaceAll(/:"[0-9]+"/g, ':"0"');

const containers = (count: number, rest = '') => list(count, (i) => `{"name":"c${i}","image":"a"${rest}}`);
const amounts = (count: number) => list(count, (i) => `"example.com/r${i}":"1"`);

const running = (name: string, spec: string, metadata = ''): readonly HostileRequest[] => [
  account('default'),
  { method: 'DELETE', path: `${PODS}/${name}?gracePeriodSeconds=0` },
  sending('POST', PODS, 'json', `{"metadata":{"name":"${name}"${metadata}},"spec":${spec}}`),
];

const owners = (count: number, rest = '') =>
  `,"ownerReferences":[${list(count, (i) => `{"apiVersion":"v1","kind":"Secret","name":"n${i}","uid":"u${i}"${rest}}`)}]`;

/**
 * Admission plugins, validation and controllers that compare two lists: of the body, or of the body and a stored
 * object.
 */
export const PLUGIN_CASES: readonly HostileCase[] = [
  {
    name: 'tolerations of a pod with a runtime class',
    before: runtimeClass('narrow', '"nodeSelector":{"a":"b"}'),
    request: (name) => sending('POST', PODS, 'json', pod(name, `,"runtimeClassName":"narrow",${tolerations(30_000)}`)),
    maxResponse,
  },
  {
    name: 'tolerations of a pod and of its runtime class',
    before: runtimeClass('wide', tolerations(15_000, ',"effect":"NoSchedule"')),
    request: (name) => sending('POST', PODS, 'json', pod(name, `,"runtimeClassName":"wide",${tolerations(15_000)}`)),
    maxResponse,
  },
  {
    name: 'equal tolerations that differ in their seconds',
    before: runtimeClass('narrow', '"nodeSelector":{"a":"b"}'),
    request: (name) => {
      const equal = list(
        15_000,
        (i) => `{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":${i}}`,
      );
      return sending('POST', PODS, 'json', pod(name, `,"runtimeClassName":"narrow","tolerations":[${equal}]`));
    },
    maxResponse,
  },
  {
    name: 'restartable init containers beside many amounts',
    before: limited('amounts', '"requests.memory":"1000","pods":"1000"'),
    request: (name) => {
      const resources = `"resources":{"requests":{${amounts(14_000)}},"limits":{${amounts(14_000)}}}`;
      const first = `{"name":"first","image":"a","restartPolicy":"Always",${resources}}`;
      const others = containers(8_000, ',"restartPolicy":"Always"');
      const path = PODS.replace('default', 'quotas');
      return sending('POST', path, 'json', pod(name, `,"initContainers":[${first},${others}]`));
    },
    maxResponse: 8 * maxResponse,
  },
  {
    name: 'many containers in a quota of many scopes',
    before: limited('scopes', '"pods":"1000"', `,"scopes":[${list(20_000, () => '"BestEffort"')}]`),
    request: (name) => {
      const path = PODS.replace('default', 'quotas');
      return sending(
        'POST',
        path,
        'json',
        `{"metadata":{"name":"${name}"},"spec":{"containers":[${containers(4_000)}]}}`,
      );
    },
    maxResponse: 8 * maxResponse,
  },
  {
    name: 'a small object in a quota of many amounts',
    before: limited(
      'counts',
      list(20_000, (i) => `"count/r${i}.example.com":"1"`),
    ),
    request: (name) =>
      sending('POST', CONFIG_MAPS.replace('default', 'quotas'), 'json', `{"metadata":{"name":"${name}"}}`),
  },
  {
    name: 'claim statuses of a pod without claims',
    before: running('statuses', `{"containers":[${CONTAINER}]}`),
    request: () => {
      const statuses = list(40_000, (i) => `{"name":"n${i}"}`);
      const body = `{"metadata":{"name":"statuses"},"status":{"resourceClaimStatuses":[${statuses}]}}`;
      return sending('PATCH', `${PODS}/statuses/status`, 'merge', body);
    },
    maxResponse,
  },
  {
    name: 'claim statuses of a pod with as many claims',
    before: running(
      'claims',
      `{"containers":[{"name":"a","image":"a","resources":{"claims":[${list(8_000, (i) => `{"name":"n${i}"}`)}]}}],` +
        `"resourceClaims":[${list(8_000, (i) => `{"name":"n${i}","resourceClaimName":"c"}`)}]}`,
    ),
    request: () => {
      const statuses = list(12_000, (i) => `{"name":"n${12_000 - i}"}`);
      const health = list(12_000, (i) => `{"name":"claim:n${12_000 - i}"}`);
      const ofContainer = `"containerStatuses":[{"name":"a","image":"a","imageID":"","allocatedResourcesStatus":[${health}]}]`;
      const body = `{"status":{"resourceClaimStatuses":[${statuses}],${ofContainer}}}`;
      return sending('PATCH', `${PODS}/claims/status`, 'merge', body);
    },
    maxResponse: 2 * maxResponse,
  },
  {
    name: 'owners that are not there',
    request: (name) => sending('POST', CONFIG_MAPS, 'json', `{"metadata":{"name":"${name}"${owners(12_000)}}}`),
    maxResponse,
  },
  {
    name: 'owners that block their deletion',
    request: (name) =>
      sending(
        'POST',
        CONFIG_MAPS,
        'json',
        `{"metadata":{"name":"${name}"${owners(10_000, ',"blockOwnerDeletion":true')}}}`,
      ),
    maxResponse,
  },
];
