import type { Service, ServicePort, ServiceSpec } from '@apiserver/api/core/v1';
import type { RestStorage } from '@apiserver/apiserver-contracts';
import { createStore, createSubresourceStore } from '@apiserver/registry-store';
import { createFakeStorage, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { TEST_FEATURES } from '../../../testing/group-dependencies.js';
import { applyServiceDefaults } from '../defaults.js';
import { serviceDeclaration } from '../index.js';
import { AllocationError, type ClusterIPAllocator, type ServiceAllocators } from './service-allocators.js';
import { withServiceAllocators } from './with-service-allocators.js';

const services = serviceDeclaration(TEST_FEATURES);
/** The allocated values, so that a test detects every leak. */
let taken: Set<string | number>;
let deletedEndpoints: string[];
let store: Required<RestStorage<Service>>;
let status: RestStorage<Service>;

/** Addresses that end in 1, 2, 3 … */
function addresses(prefix: string): ClusterIPAllocator {
  const take = (address: string) => {
    if (taken.has(address)) throw new AllocationError('provided IP is already allocated');
    taken.add(address);
  };
  return {
    async allocate(address, _service, { dryRun }) {
      if (!address.startsWith(prefix)) {
        throw new AllocationError('the provided network does not match the current range');
      }
      if (!dryRun) take(address);
    },
    async allocateNext(_service, { dryRun }) {
      if (dryRun) return `${prefix}0`;
      for (let i = 1; i < 10; i++) {
        if (taken.has(`${prefix}${i}`)) continue;
        take(`${prefix}${i}`);
        return `${prefix}${i}`;
      }
      throw new AllocationError('range is full');
    },
    release: async (address) => void taken.delete(address),
  };
}

function allocators(families: readonly ('IPv4' | 'IPv6')[]): ServiceAllocators {
  const prefixes = { IPv4: '10.0.0.', IPv6: 'fd00::' };
  return {
    primaryFamily: families[0] ?? 'IPv4',
    clusterIPs: new Map(families.map((family) => [family, addresses(prefixes[family])])),
    nodePorts: {
      async allocate(port) {
        if (taken.has(port)) throw new AllocationError('provided port is already allocated');
        taken.add(port);
      },
      async allocateNext() {
        for (let port = 30_000; port < 30_005; port++) {
          if (!taken.has(port)) {
            taken.add(port);
            return port;
          }
        }
        throw new AllocationError('range is full');
      },
      release: async (port) => void taken.delete(port),
      has: (port) => taken.has(port),
    },
    ready: async () => {},
  };
}

function open(families: readonly ('IPv4' | 'IPv6')[] = ['IPv4']): void {
  taken = new Set();
  deletedEndpoints = [];
  const definition = withServiceAllocators(services, true, {
    allocators: allocators(families),
    deleteEndpoints: async (namespace, name) => void deletedEndpoints.push(`${namespace}/${name}`),
    onCleanupError: (error) => {
      throw error;
    },
  });
  const options = { definition, storage: createFakeStorage<Service>(), ...testStoreSources<Service>() };
  store = createStore(options) as Required<RestStorage<Service>>;
  status = createSubresourceStore(options, services.subresources['status'] ?? { strategy: services.strategy });
}

beforeEach(() => open());

const context = testContext({ namespace: 'ns' });
const admitted = async () => {};

async function create(spec: ServiceSpec, { name = 's', dryRun = false } = {}): Promise<ServiceSpec> {
  const sent: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...structuredClone(spec) },
    status: { loadBalancer: {} },
  };
  applyServiceDefaults(sent);
  const { object } = await store.create(context, sent, admitted, dryRun ? { dryRun: ['All'] } : {});
  return object.spec;
}

/** Applies defaults before the Store, as the handlers do. */
async function update(
  change: (draft: Service) => void,
  { target = store as RestStorage<Service>, at = context, dryRun = false } = {},
): Promise<ServiceSpec> {
  const response = await target.update?.(at, {
    name: 's',
    objectInfo: {
      updatedObject(_context, old) {
        if (old === undefined) throw new Error('there is no service');
        const draft = structuredClone(old);
        change(draft);
        const sent = structuredClone(draft);
        applyServiceDefaults(sent);
        return sent;
      },
    },
    validateCreate: admitted,
    validateUpdate: admitted,
    forceAllowCreate: false,
    options: dryRun ? { dryRun: ['All'] } : {},
  });
  return response?.stored.object.spec ?? {};
}

const http: ServicePort = { name: 'http', port: 80 };

describe('create', () => {
  it.each<[string, ServiceSpec, ServiceSpec, (string | number)[]]>([
    [
      'takes an address',
      {},
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
      ['10.0.0.1'],
    ],
    [
      'takes the address that was named',
      { clusterIP: '10.0.0.7' },
      { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'], ipFamilies: ['IPv4'] },
      ['10.0.0.7'],
    ],
    [
      'takes none for a headless one',
      { clusterIP: 'None', selector: { a: 'b' } },
      { clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
      [],
    ],
    [
      'gives both families to a headless one without selector',
      { clusterIP: 'None' },
      { clusterIPs: ['None'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
      [],
    ],
    [
      'allocates no address for an ExternalName',
      { type: 'ExternalName', externalName: 'x' },
      { type: 'ExternalName' },
      [],
    ],
    [
      'stays single where the server is, though it prefers two',
      { ipFamilyPolicy: 'PreferDualStack' },
      { clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' },
      ['10.0.0.1'],
    ],
    [
      'shares a node port between protocols of one port',
      { type: 'NodePort', ports: [http, { name: 'u', port: 80, protocol: 'UDP' }, { name: 'x', port: 81 }] },
      {},
      ['10.0.0.1', 30_000, 30_001],
    ],
    [
      'finds the node port that a later protocol names',
      { type: 'NodePort', ports: [http, { name: 'u', port: 80, protocol: 'UDP', nodePort: 31_000 }] },
      {},
      ['10.0.0.1', 31_000],
    ],
    [
      'takes a port for health checks',
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
      { healthCheckNodePort: 30_001 },
      ['10.0.0.1', 30_000, 30_001],
    ],
    [
      'takes no node ports that a load balancer does not want',
      {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        ports: [http, { name: 'x', port: 81, nodePort: 31_000 }],
      },
      {},
      ['10.0.0.1', 31_000],
    ],
  ])('%s', async (_what, spec, expected, held) => {
    expect(await create(spec)).toMatchObject(expected);
    expect([...taken]).toEqual(held);
  });

  it('allocates an address of each family', async () => {
    open(['IPv6', 'IPv4']);
    expect(await create({ ipFamilyPolicy: 'PreferDualStack' })).toMatchObject({
      clusterIP: 'fd00::1',
      clusterIPs: ['fd00::1', '10.0.0.1'],
      ipFamilies: ['IPv6', 'IPv4'],
    });
    expect([...taken]).toEqual(['fd00::1', '10.0.0.1']);
  });

  it.each<[string, ServiceSpec, string]>([
    [
      'an address outside',
      { clusterIP: '1.2.3.4' },
      'spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
    ],
    [
      'a taken address',
      { clusterIP: '10.0.0.9' },
      'spec.clusterIPs: Invalid value: ["10.0.0.9"]: failed to allocate IP 10.0.0.9: provided IP is already allocated',
    ],
    [
      'no address at all',
      { clusterIP: 'abc' },
      'spec.clusterIPs[0]: Invalid value: "abc": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'a family that the server lacks',
      { ipFamilies: ['IPv6'] },
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ],
    [
      'an address of such a family',
      { clusterIP: 'fd00::1' },
      'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
    ],
    [
      'two families',
      { ipFamilyPolicy: 'RequireDualStack' },
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
    [
      'two families under a policy of one',
      { ipFamilies: ['IPv4', 'IPv6'] },
      `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
    ],
    [
      'a taken node port',
      { type: 'NodePort', ports: [{ ...http, nodePort: 31_999 }] },
      'spec.ports[0].nodePort: Invalid value: 31999: provided port is already allocated',
    ],
    [
      'what validation refuses later',
      { type: 'NodePort', ports: [{ port: 0, targetPort: 80 }] },
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ])('refuses %s, and keeps no allocation', async (_what, spec, message) => {
    taken.add('10.0.0.9').add(31_999);
    await expect(create(spec)).rejects.toThrow(`Service "s" is invalid: ${message}`);
    expect([...taken]).toEqual(['10.0.0.9', 31_999]);
  });

  it.each<[ServiceSpec, string]>([
    [{}, 'Internal error occurred: failed to allocate a serviceIP: range is full'],
    [
      { type: 'NodePort', clusterIP: '10.0.0.99' },
      'Internal error occurred: failed to allocate a nodePort: range is full',
    ],
    [
      {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        externalTrafficPolicy: 'Local',
        clusterIP: '10.0.0.99',
      },
      'Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full',
    ],
  ])('reports which range is full: %j', async (spec, message) => {
    for (let i = 0; i < 10; i++) taken.add(`10.0.0.${i}`).add(30_000 + i);
    await expect(create(spec)).rejects.toThrow(message);
    expect(taken.has('10.0.0.99')).toBe(false);
  });

  it('releases everything if the name exists', async () => {
    await create({ type: 'NodePort' });
    const held = [...taken];
    await expect(create({ type: 'NodePort' })).rejects.toThrow('services "s" already exists');
    expect([...taken]).toEqual(held);
  });

  it('allocates nothing in a dry run', async () => {
    const spec = await create({ type: 'NodePort', ports: [http, { name: 'x', port: 81 }] }, { dryRun: true });
    expect(spec).toMatchObject({ clusterIP: '10.0.0.0', ports: [{ nodePort: 32_769 }, { nodePort: 32_770 }] });
    expect([...taken]).toEqual([]);
  });
});

describe('update', () => {
  it('need not repeat allocated values', async () => {
    await create({ type: 'NodePort', ports: [http] });
    const spec = await update((draft) => {
      delete draft.spec.clusterIP;
      delete draft.spec.clusterIPs;
      draft.spec.ports = [{ name: 'new', port: 81 }, http];
    });
    expect(spec).toMatchObject({ clusterIPs: ['10.0.0.1'], ports: [{ nodePort: 30_001 }, { nodePort: 30_000 }] });
    expect([...taken]).toEqual(['10.0.0.1', 30_000, 30_001]);
  });

  it('to other types allocates and releases', async () => {
    await create({ ports: [http] });
    await update((draft) => {
      draft.spec.type = 'NodePort';
    });
    expect([...taken]).toEqual(['10.0.0.1', 30_000]);
    await update((draft) => {
      draft.spec.type = 'ExternalName';
      draft.spec.externalName = 'x';
      delete draft.spec.externalTrafficPolicy;
    });
    expect([...taken]).toEqual([]);
    const spec = await update((draft) => {
      draft.spec.type = 'ClusterIP';
      delete draft.spec.externalName;
    });
    expect(spec).toMatchObject({ clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    expect([...taken]).toEqual(['10.0.0.1']);
  });

  it('to another node port changes the allocation', async () => {
    await create({ type: 'NodePort', ports: [http] });
    await update((draft) => {
      draft.spec.ports = [{ ...http, nodePort: 31_000 }];
    });
    expect([...taken]).toEqual(['10.0.0.1', 31_000]);
  });

  it('to two families and back', async () => {
    open(['IPv4', 'IPv6']);
    await create({});
    const two = await update((draft) => {
      draft.spec.ipFamilyPolicy = 'PreferDualStack';
    });
    expect(two).toMatchObject({ clusterIPs: ['10.0.0.1', 'fd00::1'], ipFamilies: ['IPv4', 'IPv6'] });
    const one = await update((draft) => {
      draft.spec.ipFamilyPolicy = 'SingleStack';
    });
    expect(one).toMatchObject({ clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] });
    expect([...taken]).toEqual(['10.0.0.1']);
  });

  it('releases everything if it fails', async () => {
    await create({ ports: [http] });
    const refused = update((draft) => {
      draft.spec.type = 'NodePort';
      draft.spec.sessionAffinity = 'Odd';
    });
    await expect(refused).rejects.toThrow('spec.sessionAffinity: Unsupported value: "Odd"');
    expect([...taken]).toEqual(['10.0.0.1']);
  });

  it('without its second address requires a single-stack policy', async () => {
    open(['IPv4', 'IPv6']);
    await create({ ipFamilyPolicy: 'PreferDualStack' });
    const refused = update((draft) => {
      draft.spec.clusterIPs = ['10.0.0.1'];
    });
    await expect(refused).rejects.toThrow(
      `spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be 'SingleStack' to release the secondary cluster IP`,
    );
  });

  it('in a dry run allocates nothing', async () => {
    await create({ ports: [http] });
    const spec = await update(
      (draft) => {
        draft.spec.type = 'NodePort';
      },
      { dryRun: true },
    );
    expect(spec.ports?.[0]?.nodePort).toBe(32_769);
    expect([...taken]).toEqual(['10.0.0.1']);
  });

  it('of the status allocates nothing, for any spec sent', async () => {
    await create({ ports: [http] });
    const info = { ...context.requestInfo, subresource: 'status' } as NonNullable<typeof context.requestInfo>;
    const spec = await update(
      (draft) => {
        draft.spec.type = 'NodePort';
        draft.spec.clusterIP = 'abc';
      },
      { target: status, at: { ...context, requestInfo: info } },
    );
    expect(spec).toMatchObject({ type: 'ClusterIP', clusterIP: '10.0.0.1' });
    expect([...taken]).toEqual(['10.0.0.1']);
  });
});

describe('delete', () => {
  it('releases everything and deletes the endpoints', async () => {
    await create({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    await store.delete(context, 's', admitted, { dryRun: ['All'] });
    expect([...taken]).toEqual(['10.0.0.1', 30_000, 30_001]);
    await store.delete(context, 's', admitted, {});
    expect([...taken]).toEqual([]);
    expect(deletedEndpoints).toEqual(['ns/s']);
  });

  it('and other writes succeed even if a release fails', async () => {
    const failed: string[] = [];
    const made = allocators(['IPv4']);
    const refusing: ServiceAllocators = {
      ...made,
      nodePorts: {
        ...made.nodePorts,
        release: async (port) => {
          throw new Error(`${port} stays`);
        },
      },
    };
    const definition = withServiceAllocators(services, true, {
      allocators: refusing,
      deleteEndpoints: async () => {},
      onCleanupError: (error) => failed.push(String(error)),
    });
    const options = { definition, storage: createFakeStorage<Service>(), ...testStoreSources<Service>() };
    store = createStore(options) as Required<RestStorage<Service>>;
    await create({ type: 'NodePort' });
    await update(({ spec }) => {
      spec.type = 'ClusterIP';
    });
    await update(({ spec }) => {
      spec.type = 'NodePort';
    });
    await store.delete(context, 's', admitted, {});
    expect(failed).toEqual(['Error: 30000 stays', 'Error: 30001 stays']);
  });

  it('releases the rest if a release fails, and returns the error of the write', async () => {
    const made = allocators(['IPv4', 'IPv6']);
    const refusing: ServiceAllocators = {
      ...made,
      nodePorts: {
        ...made.nodePorts,
        async release(port) {
          if (port === 30_000) throw new Error(`${port} stays`);
          await made.nodePorts.release(port);
        },
      },
    };
    const failed: string[] = [];
    const definition = withServiceAllocators(services, true, {
      allocators: refusing,
      deleteEndpoints: async () => {},
      onCleanupError: (error) => failed.push(String(error)),
    });
    const options = { definition, storage: createFakeStorage<Service>(), ...testStoreSources<Service>() };
    store = createStore(options) as Required<RestStorage<Service>>;
    const ports = (...nodePorts: (number | undefined)[]) =>
      nodePorts.map((nodePort, i) => ({ name: `p${i}`, port: i + 1, ...(nodePort && { nodePort }) }));
    taken.add(30_002);
    await expect(create({ type: 'NodePort', ports: ports(30_000, 30_001, 30_002) })).rejects.toThrow(
      'provided port is already allocated',
    );
    expect([...taken]).toEqual([30_002, 30_000]);
    taken.delete(30_000);
    await create({ type: 'NodePort', ports: ports(undefined, undefined) });
    await store.delete(context, 's', admitted, {});
    expect([...taken]).toEqual([30_002, 30_000]);
    expect(failed).toEqual(['Error: 30000 stays']);
  });
});

it('shows default families of a service stored without them', async () => {
  taken = new Set();
  const storage = createFakeStorage<Service>();
  const bare = (name: string, spec: ServiceSpec): Service => ({
    ...{ apiVersion: 'v1', kind: 'Service' },
    metadata: { name, namespace: 'ns' },
    spec: { type: 'ClusterIP', ...spec },
    status: { loadBalancer: {} },
  });
  await storage.create('ns/a', bare('a', { clusterIP: 'fd00::1' }));
  await storage.create('ns/h', bare('h', { clusterIP: 'None' }));
  await storage.create('ns/s', bare('s', { clusterIP: 'None', selector: { a: 'b' } }));
  const definition = withServiceAllocators(services, true, {
    allocators: allocators(['IPv4']),
    deleteEndpoints: async () => {},
    onCleanupError: () => {},
  });
  const read = createStore({ definition, storage, ...testStoreSources<Service>() });
  const shown = await Promise.all(['a', 'h', 's'].map((name) => read.get?.(context, name, {})));
  expect(shown.map((stored) => stored?.object.spec)).toMatchObject([
    { clusterIPs: ['fd00::1'], ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' },
    { clusterIPs: ['None'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
    { clusterIPs: ['None'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
  ]);
});
