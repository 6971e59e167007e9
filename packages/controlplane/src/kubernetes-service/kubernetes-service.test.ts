import type { Endpoints } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { newConflict, newNotFound, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import { createFakeStorage, ManualClock } from '@apiserver/registry-store/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type EndpointReconciler, noneReconciler } from './endpoint-reconciler.js';
import { EndpointsAdapter } from './endpoints-adapter.js';
import { kubernetesServiceController } from './kubernetes-service-controller.js';
import { leaseReconciler } from './lease-reconciler.js';
import { masterCountReconciler } from './master-count-reconciler.js';
import { storedMasterLeases } from './master-leases.js';

const PORTS = [{ name: 'https', port: 6443, protocol: 'TCP' }];
let logged: string[];
const logger: Logger = {
  info: () => {},
  warning: (message) => void logged.push(message),
  error: (error, message) => void logged.push(`${message}: ${error}`),
  v: () => undefined,
  named: () => logger,
};

/** Objects by resource and name, and the error for the next write. */
let objects: Map<string, KubeObject>;
let writes: string[];
let failing: Error[];

function write(verb: string, key: string): void {
  writes.push(`${verb} ${key}`);
  const failure = failing.shift();
  if (failure !== undefined) throw failure;
}

const client = {
  resource: ({ resource }: { resource: string }) => ({
    async get(_namespace: string, name: string) {
      const object = objects.get(`${resource}/${name}`);
      if (object === undefined) throw newNotFound({ group: '', resource }, name);
      return object;
    },
    async list() {
      const items = [...objects].filter(([key]) => key.startsWith(`${resource}/`)).map(([, object]) => ({ object }));
      return { items, resourceVersion: '1' };
    },
    async create(_namespace: string, object: KubeObject) {
      const key = `${resource}/${object.metadata.name}`;
      write('create', key);
      objects.set(key, structuredClone(object));
      return object;
    },
    async update(_namespace: string, object: KubeObject) {
      const key = `${resource}/${object.metadata.name}`;
      write('update', key);
      objects.set(key, structuredClone(object));
      return object;
    },
    async delete(_namespace: string, name: string) {
      write('delete', `${resource}/${name}`);
      objects.delete(`${resource}/${name}`);
    },
  }),
} as unknown as LoopbackClient;

beforeEach(() => {
  logged = [];
  objects = new Map();
  writes = [];
  failing = [];
});

const shown = (name: string) => objects.get(name);

describe('EndpointsAdapter', () => {
  it('creates both objects, then writes only changes', async () => {
    const adapter = new EndpointsAdapter(client, ['IPv4']);
    await adapter.sync(['10.1.0.2', '10.1.0.1', 'fd00::1'], PORTS, false);
    expect(shown('endpoints/kubernetes')).toEqual({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
      },
      subsets: [{ addresses: [{ ip: '10.1.0.1' }, { ip: '10.1.0.2' }], ports: PORTS }],
    });
    expect(shown('endpointslices/kubernetes')).toEqual({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: ['10.1.0.1', '10.1.0.2'].map((address) => ({ addresses: [address], conditions: { ready: true } })),
      ports: PORTS,
    });
    writes = [];
    await adapter.sync(['10.1.0.1', '10.1.0.2'], [{ ...PORTS[0], name: 'https', port: 1 }], false);
    expect(writes).toEqual([]);
    await adapter.sync(['10.1.0.1', '10.1.0.2'], [{ ...PORTS[0], name: 'https', port: 1 }], true);
    expect(writes).toEqual(['update endpoints/kubernetes', 'update endpointslices/kubernetes']);
    expect(await adapter.addresses()).toEqual(new Set(['10.1.0.1', '10.1.0.2']));
  });

  it('writes a slice for each family if every server has both', async () => {
    const adapter = new EndpointsAdapter(client, ['IPv4', 'IPv6']);
    await adapter.sync(['10.1.0.1', 'fd00::1'], PORTS, false);
    expect(shown('endpointslices/kubernetes-v6')).toMatchObject({
      addressType: 'IPv6',
      endpoints: [{ addresses: ['fd00::1'] }],
    });
    await adapter.sync(['10.1.0.1', '10.1.0.2', 'fd00::1'], PORTS, false);
    expect(shown('endpointslices/kubernetes-v6')).toMatchObject({ endpoints: [] });
  });

  it('deletes unexpected slices of the service', async () => {
    objects.set('endpointslices/odd', {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'odd' },
      addressType: 'IPv4',
    });
    await new EndpointsAdapter(client, ['IPv4']).sync(['10.1.0.1'], PORTS, false);
    expect([...objects.keys()]).toEqual(['endpoints/kubernetes', 'endpointslices/kubernetes']);
  });

  it('retries after a conflict, with a limit', async () => {
    const conflict = newConflict({ group: '', resource: 'endpoints' }, 'kubernetes', 'changed');
    const adapter = new EndpointsAdapter(client, ['IPv4']);
    failing = [conflict];
    await adapter.sync(['10.1.0.1'], PORTS, false);
    failing = [conflict, conflict, conflict, conflict];
    await expect(adapter.sync(['10.1.0.2'], PORTS, false)).rejects.toThrow('Operation cannot be fulfilled');
    failing = [newServiceUnavailable('no')];
    await expect(adapter.sync(['10.1.0.2'], PORTS, false)).rejects.toThrow('no');
  });
});

describe('leases', () => {
  it('exist until they are removed, and change on every renewal', async () => {
    const storage = createFakeStorage<Endpoints>();
    const leases = storedMasterLeases(storage, 15);
    await leases.update('10.1.0.2');
    await leases.update('10.1.0.1');
    await leases.update('10.1.0.1');
    expect(await leases.list()).toEqual(['10.1.0.1', '10.1.0.2']);
    expect((await storage.get('10.1.0.1', {})).object).toMatchObject({
      metadata: { name: '10.1.0.1', generation: 2 },
      subsets: [{ addresses: [{ ip: '10.1.0.1' }] }],
    });
    expect([await leases.remove('10.1.0.1'), await leases.remove('10.1.0.1')]).toEqual([true, false]);
    expect(await leases.list()).toEqual(['10.1.0.2']);
  });

  it('do not count as removed when the storage fails', async () => {
    const storage = createFakeStorage<Endpoints>();
    storage.delete = () => Promise.reject(new Error('out of reach'));
    await expect(storedMasterLeases(storage, 15).remove('10.1.0.1')).rejects.toThrow('out of reach');
  });
});

describe('leaseReconciler', () => {
  it('sets the endpoints to the servers with a lease', async () => {
    const leases = storedMasterLeases(createFakeStorage<Endpoints>(), 15);
    await leases.update('10.1.0.9');
    const reconciler = leaseReconciler(new EndpointsAdapter(client, ['IPv4']), leases);
    await reconciler.reconcile('10.1.0.1', PORTS);
    expect(shown('endpoints/kubernetes')).toMatchObject({
      subsets: [{ addresses: [{ ip: '10.1.0.1' }, { ip: '10.1.0.9' }] }],
    });
    reconciler.stop();
    expect(await reconciler.remove('10.1.0.1', PORTS)).toBe(true);
    await reconciler.reconcile('10.1.0.1', PORTS);
    expect(shown('endpoints/kubernetes')).toMatchObject({ subsets: [{ addresses: [{ ip: '10.1.0.9' }] }] });
    expect(await reconciler.remove('10.1.0.1', PORTS)).toBe(false);
    expect(await reconciler.remove('10.1.0.9', PORTS)).toBe(true);
    expect(shown('endpoints/kubernetes')).not.toHaveProperty('subsets.0');
  });

  it('rejects an empty list of servers while it runs itself', async () => {
    const leases = storedMasterLeases(createFakeStorage<Endpoints>(), 15);
    await leases.update('10.1.0.9');
    const reconciler = leaseReconciler(new EndpointsAdapter(client, ['IPv4']), leases);
    await expect(reconciler.remove('10.1.0.9', PORTS)).rejects.toThrow('refusing to erase all endpoints');
  });
});

it('may leave the endpoints to others', async () => {
  const reconciler = noneReconciler();
  await reconciler.reconcile('10.1.0.5', PORTS);
  expect([await reconciler.remove('10.1.0.5', PORTS), reconciler.stop(), writes]).toEqual([false, undefined, []]);
});

it('writes endpoints and slices of these groups, by families in order', async () => {
  const asked: unknown[] = [];
  const recording = {
    resource: (gvr: Parameters<LoopbackClient['resource']>[0]) => {
      asked.push(gvr);
      return client.resource(gvr);
    },
  } as LoopbackClient;
  await new EndpointsAdapter(recording, ['IPv6', 'IPv4']).sync(['10.1.0.1', 'fd00::1'], PORTS, false);
  expect(asked).toEqual([
    { group: '', version: 'v1', resource: 'endpoints' },
    { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
  ]);
  expect([...objects.keys()]).toEqual([
    ...['endpoints/kubernetes', 'endpointslices/kubernetes', 'endpointslices/kubernetes-v4'],
  ]);
});

describe('masterCountReconciler', () => {
  it.each([
    [1, ['10.1.0.1'], ['10.1.0.5']],
    [2, ['10.1.0.1', '10.1.0.9'], ['10.1.0.1', '10.1.0.5']],
    [3, ['10.1.0.1', '10.1.0.9'], ['10.1.0.1', '10.1.0.5', '10.1.0.9']],
    [0, ['10.1.0.1'], ['10.1.0.5']],
  ])('of %i servers turns %j and itself into %j', async (count, before, after) => {
    const adapter = new EndpointsAdapter(client, ['IPv4']);
    await adapter.sync(before, PORTS, false);
    const reconciler = masterCountReconciler(adapter, count);
    await reconciler.reconcile('10.1.0.5', PORTS);
    expect([...(await adapter.addresses())]).toEqual(after);
    reconciler.stop();
    expect(await reconciler.remove('10.1.0.5', PORTS)).toBe(true);
    expect(await reconciler.remove('10.1.0.5', PORTS)).toBe(false);
    await reconciler.reconcile('10.1.0.5', PORTS);
    expect([...(await adapter.addresses())]).toEqual(after.filter((address) => address !== '10.1.0.5'));
  });
});

describe('kubernetesServiceController', () => {
  function controller(fields: Partial<Parameters<typeof kubernetesServiceController>[0]> = {}) {
    const clock = new ManualClock();
    const leases = storedMasterLeases(createFakeStorage<Endpoints>(), 15);
    const stop = new AbortController();
    const made = kubernetesServiceController({
      serviceIP: '10.0.0.1',
      publicAddress: '10.1.0.1',
      publicPort: async () => 6443,
      reconciler: (loopback) => leaseReconciler(new EndpointsAdapter(loopback, ['IPv4']), leases),
      whenReady: async () => {},
      clock,
      logger,
      ...fields,
    });
    return { clock, leases, stop, made, run: () => made.run({ loopbackClient: client, signal: stop.signal }) };
  }

  it('creates the service once the server is ready, and the endpoints', async () => {
    const ready = Promise.withResolvers<void>();
    const { run, made, stop } = controller({ whenReady: () => ready.promise });
    await run();
    await eventLoopTurns();
    expect(objects.size).toBe(0);
    ready.resolve();
    await eventLoopTurns();
    expect(shown('services/kubernetes')).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
        clusterIP: '10.0.0.1',
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        type: 'ClusterIP',
      },
      status: { loadBalancer: {} },
    });
    expect(shown('endpoints/kubernetes')).toMatchObject({ subsets: [{ addresses: [{ ip: '10.1.0.1' }] }] });
    await made.stop();
    stop.abort();
    expect(shown('endpoints/kubernetes')).not.toHaveProperty('subsets.0');
    expect(logged).toEqual([]);
  });

  it('recreates it after a deletion, and logs failures', async () => {
    const { run, made, clock } = controller({ nodePort: 30_443, reconciler: noneReconciler });
    failing = [newServiceUnavailable('no')];
    await run();
    await eventLoopTurns();
    expect([logged, objects.size]).toEqual([['Unable to sync kubernetes service: StatusError: no'], 0]);
    clock.advance(10_000);
    await eventLoopTurns();
    expect(shown('services/kubernetes')).toMatchObject({ spec: { type: 'NodePort', ports: [{ nodePort: 30_443 }] } });
    objects.clear();
    clock.advance(10_000);
    await eventLoopTurns();
    expect([...objects.keys()]).toEqual(['services/kubernetes']);
    await made.stop();
    await made.stop();
    objects.clear();
    clock.advance(60_000);
    await eventLoopTurns();
    expect(objects.size).toBe(0);
  });

  it('removes the entry of an earlier run', async () => {
    const { run, leases, made } = controller({ whenReady: () => new Promise(() => {}) });
    await leases.update('10.1.0.1');
    await leases.update('10.1.0.9');
    await run();
    expect(await leases.list()).toEqual(['10.1.0.9']);
    expect(logged).toEqual([
      'Found stale endpoints of the kubernetes service: the server did not stop in order before',
    ]);
    await made.stop();
  });

  it('logs endpoints that cannot be removed, and removes none that were not there', async () => {
    const removals: unknown[] = [];
    let failure: Error | undefined = newServiceUnavailable('no');
    const reconciler: EndpointReconciler = {
      reconcile: async () => {},
      remove: async (...args) => {
        removals.push(args);
        if (failure !== undefined) throw failure;
        return false;
      },
      stop: () => void removals.push('stop'),
    };
    const { run, made } = controller({ reconciler: () => reconciler, whenReady: () => new Promise(() => {}) });
    await run();
    expect(logged.splice(0)).toEqual(['Error removing old endpoints from kubernetes service: StatusError: no']);
    await made.stop();
    expect(logged.splice(0)).toEqual(['Unable to remove endpoints from kubernetes service: StatusError: no']);
    const removal = ['10.1.0.1', [{ name: 'https', port: 6443, protocol: 'TCP' }]];
    expect(removals).toEqual([removal, 'stop', removal]);
    failure = undefined;
    const another = controller({ reconciler: () => reconciler, whenReady: () => new Promise(() => {}) });
    await another.run();
    await another.made.stop();
    expect(logged).toEqual([]);
  });

  it('goes on if the server never says that it is ready, and ends with it', async () => {
    const { run, made, stop, clock } = controller({ whenReady: () => Promise.reject(new Error('never')) });
    await run();
    await eventLoopTurns();
    expect([...objects.keys()]).toContain('services/kubernetes');
    stop.abort();
    objects.clear();
    clock.advance(60_000);
    await eventLoopTurns();
    expect([[...objects.keys()], logged]).toEqual([[], []]);
    await made.stop();
  });

  it('has the name of upstream', () => {
    expect(controller().made.name).toBe('bootstrap-controller');
  });
});
