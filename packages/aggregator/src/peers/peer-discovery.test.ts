import type { Lease } from '@apiserver/api/coordination/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { PeerDiscovery, type PeerDiscoveryOptions } from './peer-discovery.js';

function lease(name: string, holderIdentity: string | undefined = `${name}_1`): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-system' },
    spec: holderIdentity === undefined ? {} : { holderIdentity },
  };
}

function group(name: string) {
  const responseKind = { group: '', version: '', kind: 'K' };
  const resource = { resource: 'things', responseKind, scope: 'Cluster', singularResource: '', verbs: ['get'] };
  return {
    kind: '',
    apiVersion: '',
    metadata: name === '' ? {} : { name },
    versions: [{ version: 'v1', resources: [resource], freshness: 'Current' }],
  };
}

const stopping = new Set<AbortController>();
afterEach(() => {
  for (const stop of stopping) stop.abort();
  stopping.clear();
});

/** Discovery of the peers of a server `me`, which `read` returns. */
function start(overrides: Partial<PeerDiscoveryOptions> = {}) {
  const clock = new ManualClock(0);
  const leases = new ControlledInformer<Lease>();
  const { logger } = createTestLogger();
  const failures: string[] = [];
  const read: string[] = [];
  /** The number of peers after each change. */
  const changes: number[] = [];
  const discovery = new PeerDiscovery({
    serverId: 'me',
    leases,
    endpointOf: async (id) => ({ hostname: id, port: 6443 }),
    read: async ({ hostname }, path, known) => {
      read.push(`${hostname}${path}`);
      if (known !== undefined) return { status: 304, document: () => known };
      const groups = path === '/api' ? [group('')] : [group('batch'), group('batch')];
      return { status: 200, document: () => ({ path, etag: 'e', groups }) };
    },
    failed: (failure) => void failures.push(failure),
    changed: () => void changes.push(discovery.entries.size),
    clock,
    logger,
    ...overrides,
  });
  const stop = new AbortController();
  stopping.add(stop);
  discovery.run(stop.signal);
  return { clock, leases, discovery, failures, read, changes, stop };
}

it('reads the servers of leases, but not itself or a lease without a holder', async () => {
  const { leases, discovery, read } = start();
  leases.put(lease('me'));
  const { spec: _, ...rest } = lease('free');
  leases.put({ ...rest, spec: {} });
  leases.put(lease('other'));
  await vi.waitFor(() => expect(discovery.entries.size).toBe(1), 30_000);
  expect(read).toEqual(['other/api', 'other/apis']);
  expect(discovery.entries.get('other')).toMatchObject({
    resources: new Set(['/v1/things', 'batch/v1/things']),
    groups: [group('batch')],
  });
});

it('reads again for another holder and every minute, not for a renewal', async () => {
  const { clock, leases, read, changes } = start();
  leases.put(lease('other'));
  await vi.waitFor(() => expect(read).toHaveLength(2), 30_000);
  leases.put({ ...lease('other'), spec: { holderIdentity: 'other_1', renewTime: '2030-01-01T00:00:10.000000Z' } });
  leases.put(lease('other', 'other_2'));
  await vi.waitFor(() => expect(read).toHaveLength(4), 30_000);
  clock.advance(60_000);
  await vi.waitFor(() => expect(read).toHaveLength(6), 30_000);
  expect(changes).toEqual([1]);
});

it('forgets a server whose lease is gone', async () => {
  const { leases, discovery } = start();
  leases.put(lease('other'));
  await vi.waitFor(() => expect(discovery.entries.size).toBe(1), 30_000);
  leases.remove('other');
  await vi.waitFor(() => expect(discovery.entries.size).toBe(0), 30_000);
});

it('tries again what fails, and keeps what it could read', async () => {
  let isBroken = true;
  const { clock, leases, discovery, failures } = start({
    endpointOf: async (id) => (id === 'hidden' && isBroken ? undefined : { hostname: id, port: 1 }),
    read: async ({ hostname }, path) => {
      const status = hostname === 'sick' && path === '/apis' && isBroken ? 503 : 200;
      return { status, document: () => ({ path, etag: '', groups: [group(path)] }) };
    },
  });
  leases.put(lease('hidden'));
  leases.put(lease('sick'));
  await vi.waitFor(() => expect(failures).toContain('fetch_discovery'), 30_000);
  await vi.waitFor(() => expect(discovery.entries.get('sick')?.groups).toEqual([group('/api')]), 30_000);
  expect(failures).toContain('hostport_resolution');
  isBroken = false;
  await vi.waitFor(() => {
    clock.advance(10_000);
    expect(discovery.entries.get('hidden')?.groups).toHaveLength(2);
  }, 30_000);
  expect(discovery.entries.get('sick')?.groups).toHaveLength(2);
});

it('keeps what it knows of a server that has an address but does not respond', async () => {
  let isSilent = false;
  const { clock, leases, discovery, failures, changes } = start({
    read: async (_address, path) => {
      if (isSilent) throw new Error('timeout');
      return { status: 200, document: () => ({ path, etag: '', groups: [group(path)] }) };
    },
  });
  leases.put(lease('other'));
  await vi.waitFor(() => expect(changes).toEqual([1]), 30_000);
  const before = discovery.entries.get('other');
  isSilent = true;
  leases.put(lease('other', 'other_2'));
  await vi.waitFor(() => expect(failures).toHaveLength(2), 30_000);
  clock.advance(60_000);
  await vi.waitFor(() => expect(failures.length).toBeGreaterThanOrEqual(4), 30_000);
  expect(discovery.entries.get('other')).toBe(before);
  expect(changes).toEqual([1]);
});

it('asks no further server when it has stopped', async () => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const asked: string[] = [];
  const { leases, stop } = start({
    read: async ({ hostname }, path) => {
      asked.push(`${hostname}${path}`);
      begun.resolve();
      await end.promise;
      throw new Error('timeout');
    },
  });
  leases.put(lease('a'));
  leases.put(lease('b'));
  await begun.promise;
  stop.abort();
  end.resolve();
  await eventLoopTurns();
  expect(asked).toEqual(['a/api']);
});

it('asks a hundred servers at most', async () => {
  const { leases, discovery } = start();
  for (let index = 0; index < 120; index++) leases.put(lease(`peer-${index}`));
  await vi.waitFor(() => expect(discovery.entries.size).toBe(100), 30_000);
});
