import type { Pod, PodSpec, ResourceQuota, Service } from '@apiserver/api/core/v1';
import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { newConflict } from '@apiserver/apimachinery/errors';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { container, pod } from '../testing/sample-objects.js';
import { resourceQuota } from './resource-quota.js';

type Amounts = Record<string, string>;

function quota(hard: Amounts, used: Amounts, spec: ResourceQuota['spec'] = {}, name = 'q'): ResourceQuota {
  const metadata = { name, namespace: 'ns' };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec, status: { hard, used } };
}

/** The quota's usage after the plugin ran on the object, or the reason for the refusal. */
async function usedAfter(resource: string, object: KubeObject, held: ResourceQuota, oldObject?: KubeObject) {
  const objects = { resourcequotas: [held] as KubeObject[] };
  const attributes = objectAttributes(resource, object, oldObject && { oldObject });
  const outcome = await runPlugin(resourceQuota(testPluginDependencies(objects)), attributes);
  return 'refused' in outcome ? outcome.refused : (objects.resourcequotas[0] as ResourceQuota).status?.used;
}

const withResources = (requests: Amounts, limits: Amounts = {}): Partial<PodSpec> => ({
  containers: [container({ resources: { requests, limits } })],
});
const forbidden = (fault: string) => `pods "p" is forbidden: ${fault}`;

describe('pods', () => {
  it.each<[string, Partial<PodSpec>, Amounts, Amounts, ResourceQuota['spec'], unknown]>([
    [
      'themselves',
      {},
      { pods: '2', 'count/pods': '9' },
      { pods: '1', 'count/pods': '1' },
      {},
      { pods: '2', 'count/pods': '2' },
    ],
    [
      'what they request',
      withResources({ cpu: '500m', memory: '1Gi', 'example.com/gpu': '1' }, { cpu: '1' }),
      { 'requests.cpu': '2', cpu: '2', 'limits.cpu': '2', memory: '2Gi', 'requests.example.com/gpu': '2' },
      { 'requests.cpu': '0', cpu: '1', 'limits.cpu': '0', memory: '1Gi', 'requests.example.com/gpu': '1' },
      {},
      { 'requests.cpu': '500m', cpu: '1500m', 'limits.cpu': '1', memory: '2Gi', 'requests.example.com/gpu': '2' },
    ],
    [
      'their overhead',
      { ...withResources({ cpu: '1' }), overhead: { cpu: '250m' } },
      { 'requests.cpu': '2' },
      { 'requests.cpu': '0' },
      {},
      { 'requests.cpu': '1250m' },
    ],
    [
      'too much',
      withResources({ cpu: '2', memory: '1Gi' }),
      { pods: '5', 'requests.cpu': '2', 'requests.memory': '1Gi' },
      { pods: '1', 'requests.cpu': '1', 'requests.memory': '1Mi' },
      {},
      forbidden(
        'exceeded quota: q, requested: requests.cpu=2,requests.memory=1Gi, used: requests.cpu=1,requests.memory=1Mi, limited: requests.cpu=2,requests.memory=1Gi',
      ),
    ],
    [
      'nothing where something is limited',
      { containers: [container({ name: 'b' }), container({ name: 'a' })] },
      { cpu: '2', 'limits.memory': '1Gi', 'requests.ephemeral-storage': '1' },
      { cpu: '0', 'limits.memory': '0', 'requests.ephemeral-storage': '0' },
      {},
      forbidden('failed quota: q: must specify cpu for: a,b; limits.memory for: a,b'),
    ],
    [
      'nothing of its containers where the pod has resources',
      { resources: { requests: { cpu: '1' } } },
      { cpu: '2' },
      { cpu: '0' },
      {},
      { cpu: '1' },
    ],
    [
      'a quota not yet counted',
      {},
      { pods: '2', 'count/pods': '2' },
      { pods: '1' },
      {},
      forbidden('status unknown for quota: q, resources: count/pods,pods'),
    ],
    ['other resources', {}, { secrets: '0' }, { secrets: '0' }, {}, { secrets: '0' }],
    ['a scope that does not match', {}, { pods: '1' }, { pods: '1' }, { scopes: ['NotBestEffort'] }, { pods: '1' }],
    [
      'those of its scope',
      {},
      { pods: '1' },
      { pods: '1' },
      { scopes: ['BestEffort', 'NotTerminating'] },
      forbidden('exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
    ],
  ])('are charged for %s', async (...row) => {
    const [, spec, hard, used, of, expected] = row;
    expect(await usedAfter('pods', pod(spec), quota(hard, used, of))).toEqual(expected);
  });

  it.each<[string, string[], Partial<PodSpec>, boolean]>([
    ['Exists', [], { priorityClassName: 'a' }, true],
    ['Exists', [], {}, false],
    ['DoesNotExist', [], {}, true],
    ['In', ['a', 'b'], { priorityClassName: 'a' }, true],
    ['In', ['b'], { priorityClassName: 'a' }, false],
    ['NotIn', ['b'], { priorityClassName: 'a' }, true],
    ['NotIn', ['a'], { priorityClassName: 'a' }, false],
  ])('are selected by priority class: %s %j %j', async (operator, values, spec, isCharged) => {
    const scope = { scopeName: 'PriorityClass', operator, values };
    const held = quota({ pods: '5' }, { pods: '1' }, { scopeSelector: { matchExpressions: [scope] } });
    expect(await usedAfter('pods', pod(spec), held)).toEqual({ pods: isCharged ? '2' : '1' });
  });

  it('are charged again when an update moves them into a scope', async () => {
    const held = quota({ pods: '5' }, { pods: '1' }, { scopes: ['Terminating'] });
    const oldObject = pod({}, { resourceVersion: '1' });
    expect(await usedAfter('pods', pod({ activeDeadlineSeconds: 5 }), held, oldObject)).toEqual({ pods: '2' });
    expect(await usedAfter('pods', pod(), held, oldObject)).toEqual({ pods: '1' });
  });

  it('are charged for the growth of a resize', async () => {
    const held = quota({ 'requests.cpu': '5' }, { 'requests.cpu': '1' });
    const before = pod(withResources({ cpu: '1' }), { resourceVersion: '1' });
    expect(await usedAfter('pods/resize', pod(withResources({ cpu: '3' })), held, before)).toEqual({
      'requests.cpu': '3',
    });
    expect(await usedAfter('pods/resize', pod(withResources({ cpu: '500m' })), held, before)).toEqual({
      'requests.cpu': '1',
    });
  });

  it('that have terminated count only as pods', async () => {
    const ended: Pod = { ...pod(), status: { phase: 'Failed' } };
    const held = quota({ pods: '5', 'count/pods': '5' }, { pods: '1', 'count/pods': '1' });
    expect(await usedAfter('pods', ended, held)).toEqual({ pods: '1', 'count/pods': '2' });
  });
});

describe('services', () => {
  const service = (spec: Service['spec']): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'ns', resourceVersion: '1' },
    spec,
    status: { loadBalancer: {} },
  });
  const ports = [{ port: 1 }, { port: 2, nodePort: 30_001 }];
  const hard = { services: '5', 'services.nodeports': '5', 'services.loadbalancers': '5' };
  const used = { services: '1', 'services.nodeports': '0', 'services.loadbalancers': '0' };

  it.each<[Service['spec'], string, string]>([
    [{ type: 'ClusterIP', ports }, '0', '0'],
    [{ type: 'NodePort', ports }, '2', '0'],
    [{ type: 'LoadBalancer', ports }, '2', '1'],
    [{ type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false }, '1', '1'],
  ])('%j', async (spec, nodePorts, loadBalancers) => {
    const charged = { 'services.nodeports': nodePorts, 'services.loadbalancers': loadBalancers };
    expect(await usedAfter('services', service(spec), quota(hard, used))).toEqual({ ...charged, services: '2' });
    const old = service({ type: 'ClusterIP' });
    expect(await usedAfter('services', service(spec), quota(hard, used), old)).toEqual({ ...charged, services: '1' });
  });
});

describe('claims for devices', () => {
  const CLASS = '.deviceclass.resource.k8s.io/devices';
  const request = (deviceClassName: string, allocationMode: string, count?: number) => ({
    name: 'r',
    deviceClassName,
    allocationMode,
    ...(count !== undefined && { count }),
  });

  it('are charged for the most devices of each class that they may be given', async () => {
    const requests = [
      { name: 'a', exactly: request('gpu', 'ExactCount', 2) },
      { name: 'b', exactly: request('nic', 'All') },
      {
        name: 'c',
        firstAvailable: [request('gpu', 'ExactCount', 3), request('gpu', 'ExactCount', 1), request('fpga', 'Odd')],
      },
    ];
    const claim = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'c', namespace: 'ns' } };
    const hard = (amount: string) =>
      Object.fromEntries(['gpu', 'nic', 'fpga', 'tpu'].map((name) => [`${name}${CLASS}`, amount]));
    const count = 'count/resourceclaims.resource.k8s.io';
    const held = quota({ ...hard('99'), [count]: '1' }, { ...hard('1'), [count]: '0' });
    const used = await usedAfter('resourceclaims.resource.k8s.io', { ...claim, spec: { devices: { requests } } }, held);
    expect(used).toEqual({
      [`gpu${CLASS}`]: '6',
      [`nic${CLASS}`]: '33',
      [`fpga${CLASS}`]: '1',
      [`tpu${CLASS}`]: '1',
      [count]: '1',
    });
  });

  it('are charged for extended resources too, once the classes are known', async () => {
    const spec = { devices: { requests: [{ name: 'a', exactly: request('gpu', 'ExactCount', 2) }] } };
    const metadata = { name: 'c', namespace: 'ns' };
    const claim = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, spec };
    const gpu = { metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } };
    const limits = quota({ 'requests.example.com/gpu': '1' }, { 'requests.example.com/gpu': '0' });
    const objects = { resourcequotas: [limits], deviceclasses: [gpu as unknown as KubeObject] };
    const attributes = objectAttributes('resourceclaims.resource.k8s.io', claim);
    const outcome = async (...enabled: string[]) => {
      const dependencies = testPluginDependencies(objects, { enabled });
      return [await runPlugin(resourceQuota(dependencies), attributes), dependencies.calls];
    };
    const exceeded = 'requested: requests.example.com/gpu=2, used: requests.example.com/gpu=0';
    const views = ['deviceclasses', 'resourceclaims', 'pods'].map((resource) => `sync ${resource}`);
    expect([await outcome('DRAExtendedResource'), await outcome()]).toEqual([
      [{ refused: expect.stringContaining(`exceeded quota: q, ${exceeded}`) }, ['sync resourcequotas', ...views]],
      [expect.not.objectContaining({ refused: expect.anything() }), ['sync resourcequotas']],
    ]);
  });
});

describe('claims', () => {
  it('are charged in total and for their class', async () => {
    const spec = { storageClassName: 'gold', resources: { requests: { storage: '1.5Gi' } } };
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c', namespace: 'ns' }, spec };
    const names = [
      'persistentvolumeclaims',
      'requests.storage',
      'gold.storageclass.storage.k8s.io/requests.storage',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims',
      'tin.storageclass.storage.k8s.io/requests.storage',
    ];
    const all = (amount: string) => Object.fromEntries(names.map((name) => [name, amount]));
    expect(await usedAfter('persistentvolumeclaims', claim, quota(all('9Gi'), all('0')))).toEqual({
      persistentvolumeclaims: '1',
      'requests.storage': '1536Mi',
      'gold.storageclass.storage.k8s.io/requests.storage': '1536Mi',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      'tin.storageclass.storage.k8s.io/requests.storage': '0',
    });
  });
});

describe('other objects', () => {
  const named = (kind: string) => ({ apiVersion: 'v1', kind, metadata: { name: 'p', namespace: 'ns' } });
  it.each([
    ['secrets', { secrets: '2', 'count/secrets': '3' }],
    ['jobs.batch', { 'count/jobs.batch': '2' }],
    ['widgets.example.com', { 'count/widgets.example.com': '2' }],
  ])('%s are counted', async (resource, hard) => {
    const one = Object.fromEntries(Object.keys(hard).map((name) => [name, '1']));
    const two = Object.fromEntries(Object.keys(hard).map((name) => [name, '2']));
    expect(await usedAfter(resource, named('Any'), quota(hard, one))).toEqual(two);
  });

  it.each(['events', 'events.events.k8s.io', 'pods/status', 'configmaps/other'])('%s are not counted', (resource) => {
    const { scope } = objectAttributes(resource, named('Any'));
    const plugin = resourceQuota(testPluginDependencies());
    expect([plugin.handles('CREATE', scope), plugin.handles('UPDATE', scope)]).toEqual([false, false]);
  });
});

it('handles updates only of measured resources, and nothing that is cluster-scoped', () => {
  const plugin = resourceQuota(testPluginDependencies());
  const object = { apiVersion: 'v1', kind: 'Any', metadata: { name: 'p' } };
  const handled = (resource: string, namespace: string) =>
    (['CREATE', 'UPDATE', 'DELETE'] as const).filter((operation) =>
      plugin.handles(operation, objectAttributes(resource, object, { namespace }).scope),
    );
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['services', 'ns', ['CREATE', 'UPDATE']],
    ['secrets', 'ns', ['CREATE']],
    ['nodes', '', []],
    ['pods/resize', 'ns', ['UPDATE']],
    ['services/resize', 'ns', []],
    ['persistentvolumeclaims/status', 'ns', ['UPDATE']],
    ['services/status', 'ns', []],
  ];
  expect(cases.map(([resource, namespace]) => handled(resource, namespace))).toEqual(cases.map(([, , of]) => of));
});

describe('counting', () => {
  const create = (name: string, dryRun = false) => objectAttributes('pods', pod({}, { name }), { dryRun });

  it('admits as many as the quota allows, with one write for concurrent requests', async () => {
    const objects = { resourcequotas: [quota({ pods: '4' }, { pods: '0' })] as KubeObject[] };
    const dependencies = testPluginDependencies(objects);
    const plugin = resourceQuota(dependencies);
    const outcomes = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => runPlugin(plugin, create(name))));
    expect(outcomes.filter((outcome) => 'refused' in outcome)).toEqual([
      { refused: 'pods "e" is forbidden: exceeded quota: q, requested: pods=1, used: pods=4, limited: pods=4' },
    ]);
    expect((objects.resourcequotas[0] as ResourceQuota).status?.used).toEqual({ pods: '4' });
    expect(dependencies.calls.filter((call) => call.startsWith('update')).length).toBeLessThan(4);
  });

  it('writes nothing for a dry run, but still refuses when the quota is exceeded', async () => {
    const dependencies = testPluginDependencies({ resourcequotas: [quota({ pods: '1' }, { pods: '0' })] });
    const plugin = resourceQuota(dependencies);
    expect(await runPlugin(plugin, create('p', true))).toMatchObject({ object: {} });
    expect(dependencies.calls).toEqual(['sync resourcequotas']);
  });

  it.each([
    [2, 'let through'],
    [4, 'refused'],
  ])('retries on a write conflict: after %i conflicts the request is %s', async (conflicts, answer) => {
    const dependencies = testPluginDependencies({ resourcequotas: [quota({ pods: '2' }, { pods: '0' })] });
    let left = conflicts;
    const client: typeof dependencies.client = {
      resource: <T extends KubeObject>(resource: GroupVersionResource): ResourceClient<T> => {
        const real = dependencies.client.resource<T>(resource);
        return {
          ...real,
          update: (...args) => {
            if (left-- > 0) throw newConflict({ group: '', resource: 'resourcequotas' }, 'q', 'it changed');
            return real.update(...args);
          },
        };
      },
    };
    const outcome = await runPlugin(resourceQuota({ ...dependencies, client }), create('p'));
    const refused = 'Operation cannot be fulfilled on resourcequotas "q": it changed';
    expect(outcome).toEqual(answer === 'refused' ? { refused } : { object: pod() });
  });

  it('checks all quotas of a namespace', async () => {
    const objects = {
      resourcequotas: [quota({ pods: '5' }, { pods: '0' }), quota({ pods: '0' }, { pods: '0' }, {}, 'r')],
    };
    expect(await runPlugin(resourceQuota(testPluginDependencies(objects)), create('p'))).toEqual({
      refused: forbidden('exceeded quota: r, requested: pods=1, used: pods=0, limited: pods=0'),
    });
    expect(objects.resourcequotas[0]?.status?.used).toEqual({ pods: '0' });
  });
});

it('refuses a request whose quota cannot be written in time', async () => {
  const held = quota({ pods: '2' }, { pods: '1' });
  const dependencies = testPluginDependencies({ resourcequotas: [held] });
  const scheduled: number[] = [];
  const plugin = resourceQuota({
    ...dependencies,
    client: { resource: (of) => ({ ...dependencies.client.resource(of), update: () => new Promise(() => {}) }) },
    clock: {
      now: () => 0,
      schedule: (callback, milliseconds) => {
        scheduled.push(milliseconds);
        setImmediate(callback);
        return () => {};
      },
    },
  });
  expect(await runPlugin(plugin, objectAttributes('pods', pod()))).toEqual({
    refused: 'Internal error occurred: resource quota evaluation timed out',
  });
  expect(scheduled).toEqual([10_000]);
});

it('admits a dry run without a write', async () => {
  const held = quota({ pods: '2' }, { pods: '1' });
  const dependencies = testPluginDependencies({ resourcequotas: [held] });
  const outcome = await runPlugin(resourceQuota(dependencies), objectAttributes('pods', pod(), { dryRun: true }));
  expect(['refused' in outcome, dependencies.calls.filter((call) => call.startsWith('update'))]).toEqual([false, []]);
});
