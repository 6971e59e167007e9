import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import type { Informer } from '@apiserver/apiserver-contracts';
import { ManualClock } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import type { ClusterIPMetrics } from './cluster-ip-metrics.js';
import type { IPAddresses } from './ip-addresses.js';
import { addressAt, type IPRange, parseIPRange, rangeContains, rangeSize } from './ip-range.js';
import { ServiceIPAllocator } from './service-ip-allocator.js';
import { ServiceNetworks } from './service-networks.js';

const service = { namespace: 'ns', name: 's' };

function range(cidr: string): IPRange {
  const parsed = parseIPRange(cidr);
  if (parsed === undefined) throw new Error(`${cidr} is no range`);
  return parsed;
}

describe('range', () => {
  it.each<[string, [string, string, string, bigint]]>([
    ['10.0.0.0/24', ['10.0.0.1', '10.0.0.17', '10.0.0.254', 254n]],
    ['10.0.0.77/24', ['10.0.0.1', '10.0.0.17', '10.0.0.254', 254n]],
    ['10.0.0.0/28', ['10.0.0.1', '10.0.0.1', '10.0.0.14', 14n]],
    ['10.0.0.0/27', ['10.0.0.1', '10.0.0.17', '10.0.0.30', 30n]],
    ['10.96.0.0/12', ['10.96.0.1', '10.96.1.1', '10.111.255.254', 1_048_574n]],
    ['fd00::/112', ['fd00::1', 'fd00::101', 'fd00::ffff', 65_535n]],
    ['fd00::/64', ['fd00::1', 'fd00::101', 'fd00::ffff:ffff:ffff:ffff', (1n << 64n) - 1n]],
  ])('%s', (cidr, expected) => {
    const made = range(cidr);
    expect([
      addressAt(made, made.first),
      addressAt(made, made.dynamicFirst),
      addressAt(made, made.last),
      rangeSize(made),
    ]).toEqual(expected);
  });

  it.each(['', '10.0.0.0', '10.0.0.0/33', '::ffff:10.0.0.0/120', 'x/8'])('%j is invalid', (text) => {
    expect(parseIPRange(text)).toBeUndefined();
  });

  it.each([
    ['10.0.0.0', false],
    ['10.0.0.1', true],
    ['10.0.0.254', true],
    ['10.0.0.255', false],
    ['10.0.1.1', false],
    ['fd00::1', false],
    ['x', false],
  ])('of 10.0.0.0/24 contains %s: %s', (address, contained) => {
    expect(rangeContains(range('10.0.0.0/24'), address)).toBe(contained);
  });

  it('without any address has none', () => {
    expect([range('10.0.0.0/31'), range('10.0.0.0/32')].map(rangeSize)).toEqual([0n, 0n]);
  });
});

type State = 'ready' | 'unknown' | 'not ready' | 'terminating';

function serviceCIDR(name: string, cidrs: string[], state: State = 'ready'): ServiceCIDR {
  const condition = { type: 'Ready', reason: '', message: '', lastTransitionTime: null };
  const conditions = state === 'unknown' ? [] : [{ ...condition, status: state === 'not ready' ? 'False' : 'True' }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name, ...(state === 'terminating' && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { cidrs },
    status: { conditions },
  };
}

/** An informer of objects that change when `tell` is called. */
function informerOf(objects: ServiceCIDR[]): Informer<ServiceCIDR> & { tell(): void } {
  const handlers = new Set<() => void>();
  return {
    synced: async () => {},
    get: (_namespace, name) => objects.find(({ metadata }) => metadata.name === name),
    list: () => objects,
    subscribe({ added }) {
      const reported = () => objects.map((object) => added?.(object));
      handlers.add(reported);
      return () => handlers.delete(reported);
    },
    tell() {
      for (const reported of handlers) reported();
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** The allocated addresses, and those among them that the informer lacks. */
function memoryAddresses(taken: Set<string>, unheard = new Set<string>()): IPAddresses {
  return {
    isTaken: (address) => taken.has(address) && !unheard.has(address),
    async take(address) {
      if (taken.has(address)) return false;
      taken.add(address);
      return true;
    },
    giveBack: async (address) => void taken.delete(address),
    held: () => [...taken],
  };
}

function recordingMetrics(counted: string[]): ClusterIPMetrics {
  return {
    allocated: (cidr, scope) => counted.push(`allocated ${cidr} ${scope}`),
    failed: (cidr, scope) => counted.push(`failed ${cidr} ${scope}`),
    took: (cidr) => counted.push(`took ${cidr}`),
    changed: (cidr) => counted.push(`changed ${cidr}`),
  };
}

interface Setup {
  readonly addresses?: IPAddresses;
  /** Default: always the start of the range. */
  readonly random?: (bound: number) => number;
  readonly family?: 'IPv4' | 'IPv6';
}

function allocatorOf(serviceCIDRs: ServiceCIDR[], { addresses, random = () => 0, family = 'IPv4' }: Setup = {}) {
  const taken = new Set<string>();
  const counted: string[] = [];
  const informer = informerOf(serviceCIDRs);
  const networks = new ServiceNetworks(informer);
  const parts = {
    addresses: addresses ?? memoryAddresses(taken),
    random,
    metrics: recordingMetrics(counted),
    clock: new ManualClock(),
  };
  return { allocator: new ServiceIPAllocator(family, networks, parts), taken, counted, informer, networks };
}

describe('allocator', () => {
  it('allocates dynamic addresses first, then reserved ones, each once', async () => {
    const { allocator } = allocatorOf([serviceCIDR('a', ['10.0.0.0/27'])]);
    const given: string[] = [];
    for (let i = 0; i < 30; i++) given.push(await allocator.allocateNext(service, { dryRun: false }));
    expect(given.slice(0, 15)).toEqual(['10.0.0.17', ...given.slice(1, 14), '10.0.0.1']);
    expect(new Set(given).size).toBe(30);
    await expect(allocator.allocateNext(service, { dryRun: false })).rejects.toThrow('range is full');
    await allocator.release('10.0.0.5');
    expect(await allocator.allocateNext(service, { dryRun: false })).toBe('10.0.0.5');
  });

  it('starts at a random address and wraps around', async () => {
    const { allocator } = allocatorOf([serviceCIDR('a', ['10.0.0.0/28'])], { random: (bound) => bound - 1 });
    expect(await allocator.allocateNext(service, { dryRun: false })).toBe('10.0.0.14');
    expect(await allocator.allocateNext(service, { dryRun: false })).toBe('10.0.0.1');
  });

  it('skips addresses that another server allocates first', async () => {
    const unheard = ['10.0.0.1', '10.0.0.2'];
    const { allocator, counted } = allocatorOf([serviceCIDR('a', ['10.0.0.0/28'])], {
      addresses: memoryAddresses(new Set(unheard), new Set(unheard)),
    });
    expect(await allocator.allocateNext(service, { dryRun: false })).toBe('10.0.0.3');
    expect(counted).toEqual([
      'failed 10.0.0.0/28 dynamic',
      'failed 10.0.0.0/28 dynamic',
      'allocated 10.0.0.0/28 dynamic',
      'took 10.0.0.0/28',
    ]);
  });

  it('tries each address once if other servers hold all of them', async () => {
    const unheard = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
    const { allocator, counted } = allocatorOf([serviceCIDR('a', ['10.0.0.0/29'])], {
      addresses: memoryAddresses(new Set([...unheard, '10.0.0.4', '10.0.0.5', '10.0.0.6']), new Set(unheard)),
    });
    await expect(allocator.allocateNext(service, { dryRun: false })).rejects.toThrow('range is full');
    // One for each unheard address, and one for the network.
    expect(counted).toEqual(Array(4).fill('failed 10.0.0.0/29 dynamic'));
  });

  it('tries networks in a random order', async () => {
    const bounds: number[] = [];
    const networks = ['10.0.0.0/29', '10.1.0.0/29', '10.2.0.0/29'];
    const { allocator } = allocatorOf([serviceCIDR('a', networks)], {
      random: (bound) => {
        bounds.push(bound);
        return 0;
      },
    });
    // Drawing the first of three and then the first of two leaves the third in front.
    expect(await allocator.allocateNext(service, { dryRun: false })).toBe('10.2.0.1');
    expect(bounds).toEqual([3, 2, 6]);
  });

  it('draws from ranges wider than one random number', async () => {
    const { allocator } = allocatorOf([serviceCIDR('a', ['fd00::/64'])], {
      random: (bound) => Math.floor(bound / 3),
      family: 'IPv6',
    });
    const address = await allocator.allocateNext(service, { dryRun: false });
    expect(rangeContains(range('fd00::/64'), address)).toBe(true);
    expect(address).not.toBe('fd00::101');
  });

  it('allocates a specific address once, from any network that contains it', async () => {
    const { allocator, taken, counted } = allocatorOf([
      serviceCIDR('a', ['10.0.0.0/24']),
      serviceCIDR('b', ['10.1.0.0/24', 'fd00::/112']),
    ]);
    await allocator.allocate('10.0.0.9', service, { dryRun: false });
    await allocator.allocate('10.1.0.9', service, { dryRun: false });
    await expect(allocator.allocate('10.0.0.9', service, { dryRun: false })).rejects.toThrow(
      'provided IP is already allocated',
    );
    for (const outside of ['10.2.0.9', '10.0.0.0', '10.0.0.255', 'fd00::9']) {
      const mismatch = 'the provided network does not match the current range';
      await expect(allocator.allocate(outside, service, { dryRun: false })).rejects.toThrow(mismatch);
    }
    await allocator.release('10.0.0.9');
    await allocator.release('10.9.9.9');
    expect([...taken]).toEqual(['10.1.0.9']);
    expect(counted).toEqual([
      'allocated 10.0.0.0/24 static',
      'took 10.0.0.0/24',
      'allocated 10.1.0.0/24 static',
      'took 10.1.0.0/24',
      'failed 10.0.0.0/24 static',
      'changed 10.0.0.0/24',
    ]);
  });

  it('continues with another network if one is full', async () => {
    const { allocator } = allocatorOf([serviceCIDR('a', ['10.0.0.0/30']), serviceCIDR('b', ['10.1.0.0/30'])]);
    const given: string[] = [];
    for (let i = 0; i < 4; i++) given.push(await allocator.allocateNext(service, { dryRun: false }));
    expect(given.sort()).toEqual(['10.0.0.1', '10.0.0.2', '10.1.0.1', '10.1.0.2']);
    await expect(allocator.allocateNext(service, { dryRun: false })).rejects.toThrow('range is full');
  });

  it('allocates an address of overlapping networks once', async () => {
    const { allocator } = allocatorOf([serviceCIDR('a', ['10.0.0.0/30']), serviceCIDR('b', ['10.0.0.0/29'])]);
    const given = new Set<string>();
    for (let i = 0; i < 6; i++) given.add(await allocator.allocateNext(service, { dryRun: false }));
    expect(given.size).toBe(6);
    await expect(allocator.allocateNext(service, { dryRun: false })).rejects.toThrow('range is full');
  });

  it.each<[string, ServiceCIDR[], boolean]>([
    ['none', [], false],
    ['one without conditions', [serviceCIDR('a', ['10.0.0.0/24'], 'unknown')], true],
    ['one that is not ready', [serviceCIDR('a', ['10.0.0.0/24'], 'not ready')], false],
    ['one under deletion', [serviceCIDR('a', ['10.0.0.0/24'], 'terminating')], false],
    [
      'one that is being deleted, and a ready one of the same network',
      [serviceCIDR('a', ['10.0.0.0/24'], 'terminating'), serviceCIDR('b', ['10.0.0.0/24'])],
      true,
    ],
    ['one wider than a /64', [serviceCIDR('a', ['fd00::/63'])], false],
    ['an invalid network', [serviceCIDR('a', ['x'])], false],
  ])('allocates addresses of %s: %3$s', async (_what, serviceCIDRs, takes) => {
    for (const [family, address] of [['IPv4', '10.0.0.9'] as const, ['IPv6', 'fd00::9'] as const]) {
      if (!serviceCIDRs.some(({ spec }) => spec.cidrs?.[0]?.includes(':')) && family === 'IPv6') continue;
      const { allocator } = allocatorOf(serviceCIDRs, { family });
      const named = allocator.allocate(address, service, { dryRun: false });
      const any = allocator.allocateNext(service, { dryRun: false });
      const tried = allocator.allocate(address, service, { dryRun: true });
      const guessed = allocator.allocateNext(service, { dryRun: true });
      const outcomes = await Promise.allSettled([named, any, tried, guessed]);
      const reported = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : true));
      const refusals = [
        'the provided network does not match the current range',
        'range is full',
        'allocator not ready',
        'allocator not ready',
      ];
      expect(reported).toEqual(takes ? [true, true, true, true] : refusals);
    }
  });

  it('still releases addresses of a network under deletion', async () => {
    const serviceCIDRs = [serviceCIDR('a', ['10.0.0.0/24'])];
    const { allocator, taken, informer } = allocatorOf(serviceCIDRs);
    await allocator.allocate('10.0.0.9', service, { dryRun: false });
    serviceCIDRs[0] = serviceCIDR('a', ['10.0.0.0/24'], 'terminating');
    informer.tell();
    await allocator.release('10.0.0.9');
    expect([...taken]).toEqual([]);
  });

  it("reports the API's refusal of an address", async () => {
    const { allocator, counted } = allocatorOf([serviceCIDR('a', ['10.0.0.0/24'])], {
      addresses: {
        ...memoryAddresses(new Set()),
        take: async () => {
          throw new Error('admission webhook says no');
        },
      },
    });
    const refusal = { isAllocationError: true, message: 'admission webhook says no' };
    await expect(allocator.allocateNext(service, { dryRun: false })).rejects.toMatchObject(refusal);
    await expect(allocator.allocate('10.0.0.9', service, { dryRun: false })).rejects.toMatchObject(refusal);
    expect(counted).toEqual(['failed 10.0.0.0/24 dynamic', 'failed 10.0.0.0/24 static']);
  });

  it('allocates nothing in a dry run', async () => {
    const { allocator, taken } = allocatorOf([serviceCIDR('a', ['10.0.0.0/24'])]);
    expect(await allocator.allocateNext(service, { dryRun: true })).toBe('10.0.0.0');
    await allocator.allocate('10.0.0.9', service, { dryRun: true });
    await expect(allocator.allocate('10.0.1.9', service, { dryRun: true })).rejects.toThrow(
      'provided IP 10.0.1.9 is not in the valid range',
    );
    expect([...taken]).toEqual([]);
  });
});
