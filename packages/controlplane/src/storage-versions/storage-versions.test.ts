import type { StorageVersion } from '@apiserver/api/apiserverinternal/v1alpha1';
import type { Lease } from '@apiserver/api/coordination/v1';
import { newConflict, newForbidden } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { createTestLogger, throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { withServerVersions } from './server-versions.js';
import { storageVersionHook } from './storage-version-hook.js';
import { StorageVersionManager } from './storage-version-manager.js';
import type { StoredResource } from './stored-resource.js';

const NOW = Date.UTC(2030, 0, 1);
const STORAGE_VERSIONS = { group: 'internal.apiserver.k8s.io', version: 'v1alpha1', resource: 'storageversions' };
const events = { group: '', resource: 'events' };
const newEvents = { group: 'events.k8s.io', resource: 'events' };

function stored(group: string, resource: string, version: string, equivalents: StoredResource['equivalents'] = []) {
  return {
    group,
    resource,
    encodingVersion: version,
    servedVersions: [version],
    equivalents,
    decodableVersions: async () => [version, 'apps/v1beta1'],
  };
}

const resources: readonly StoredResource[] = [
  stored('events.k8s.io', 'events', 'v1', [events]),
  stored('apps', 'deployments', 'apps/v1'),
  stored('', 'events', 'v1', [newEvents]),
];

function managerOf(logger = throwingLogger, clock = new ManualClock(NOW)) {
  const manager = new StorageVersionManager({ id: 'me', clock, logger });
  manager.expect(resources);
  return { manager, clock, stop: new AbortController() };
}

/** A client some of whose requests for StorageVersions fail; `failures` are consumed by creates. */
function failing(client: LoopbackClient, failures: Error[]): LoopbackClient {
  return {
    resource: (gvr) => {
      const real = client.resource(gvr);
      const create: typeof real.create = async (...request) => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return await real.create(...request);
      };
      return new Proxy(real, {
        get: (target, key) => {
          if (key === 'create') return create;
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }) as never;
    },
  };
}

async function recorded(client: LoopbackClient): Promise<readonly (string | undefined)[]> {
  const { items } = await client.resource<StorageVersion>(STORAGE_VERSIONS).list('');
  return items.map(({ object }) => object.metadata.name);
}

describe('the status with the versions of a server', () => {
  const own = (apiServerID: string, encodingVersion: string) => ({ apiServerID, encodingVersion });
  const condition = (status: 'True' | 'False', time: string) => ({
    type: 'AllEncodingVersionsEqual',
    status,
    observedGeneration: 1,
    lastTransitionTime: `2030-01-01T00:00:${time}Z`,
    reason: status === 'True' ? 'CommonEncodingVersionSet' : 'CommonEncodingVersionUnset',
    message: status === 'True' ? 'Common encoding version set' : 'Common encoding version unset',
  });

  it('tells what all servers have in common, and since when', () => {
    const metadata = { generation: 1 };
    const first = withServerVersions({ metadata, status: {} }, own('a', 'v1'), NOW);
    expect(first).toEqual({
      storageVersions: [own('a', 'v1')],
      commonEncodingVersion: 'v1',
      conditions: [condition('True', '00')],
    });
    const second = withServerVersions({ metadata, status: first }, own('b', 'v1'), NOW + 1000);
    expect(second).toEqual({
      storageVersions: [own('a', 'v1'), own('b', 'v1')],
      commonEncodingVersion: 'v1',
      conditions: [condition('True', '00')],
    });
    const third = withServerVersions({ metadata, status: second }, own('a', 'v2'), NOW + 2000);
    expect(third).toEqual({
      storageVersions: [own('a', 'v2'), own('b', 'v1')],
      conditions: [condition('False', '02')],
    });
    const fourth = withServerVersions({ metadata, status: third }, own('b', 'v2'), NOW + 3000);
    expect([fourth.commonEncodingVersion, fourth.conditions]).toEqual(['v2', [condition('True', '03')]]);
  });

  it('counts a new common version as a transition, and leaves other conditions alone', () => {
    const other = { type: 'Other', status: 'True', reason: 'R' };
    const status = {
      storageVersions: [own('a', 'v1')],
      commonEncodingVersion: 'v1',
      conditions: [other, condition('True', '00')],
    };
    const moved = withServerVersions({ metadata: { generation: 1 }, status }, own('a', 'v2'), NOW + 4000);
    expect(moved.conditions).toEqual([other, condition('True', '04')]);
  });
});

describe('the manager', () => {
  it('records each stored resource once, by group and name', async () => {
    const { manager, stop } = managerOf();
    const client = fakeClient();
    const pending = () => [manager.isPending(newEvents), manager.isPending({ group: '', resource: 'bindings' })];
    expect([manager.isCompleted, pending(), manager.lastError(events)]).toEqual([false, [true, false], '<nil>']);
    await manager.update(client, stop.signal);
    expect([manager.isCompleted, pending()]).toEqual([true, [false, false]]);
    expect(await recorded(client)).toEqual(['core.events', 'apps.deployments']);
    const { status } = await client.resource<StorageVersion>(STORAGE_VERSIONS).get('', 'core.events');
    expect(status.storageVersions).toEqual([
      { apiServerID: 'me', encodingVersion: 'v1', decodableVersions: ['v1', 'apps/v1beta1'], servedVersions: ['v1'] },
    ]);
  });

  it('gives up on a resource after three failures, and records the others', async () => {
    const { logger, lines } = createTestLogger();
    const { manager, clock, stop } = managerOf(logger);
    const client = fakeClient();
    const forbidden = newForbidden(STORAGE_VERSIONS, 'core.events', 'no');
    const updating = manager.update(failing(client, [forbidden, forbidden, forbidden]), stop.signal);
    for (let second = 0; second < 3; second++) {
      await eventLoopTurns();
      clock.advance(1000);
    }
    await updating;
    expect([manager.isCompleted, manager.isPending(newEvents), manager.lastError(newEvents)]).toEqual([
      false,
      true,
      'storageversions.internal.apiserver.k8s.io "core.events" is forbidden: no',
    ]);
    expect([await recorded(client), lines.length]).toEqual([['apps.deployments'], 1]);
    await manager.update(client, stop.signal);
    expect([manager.isCompleted, manager.isPending(newEvents)]).toEqual([true, false]);
  });

  it('repeats conflicts without end', async () => {
    const { manager, clock, stop } = managerOf();
    const conflicts = Array.from({ length: 5 }, () => newConflict(STORAGE_VERSIONS, 'core.events', 'again'));
    const updating = manager.update(failing(fakeClient(), conflicts), stop.signal);
    for (let second = 0; second < 5; second++) {
      await eventLoopTurns();
      clock.advance(1000);
    }
    await updating;
    expect(manager.isCompleted).toBe(true);
  });
});

describe('the hook', () => {
  const lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'me', namespace: 'kube-system' },
    spec: {},
  };

  it('waits for the lease, ends with the first records, and repeats them every ten minutes', async () => {
    const { manager, clock, stop } = managerOf();
    const client = fakeClient();
    const running = storageVersionHook(manager, clock).run({ loopbackClient: client, signal: stop.signal });
    await eventLoopTurns();
    expect(await recorded(client)).toEqual([]);
    const leases = client.resource<Lease>({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases' });
    await leases.create('kube-system', lease);
    clock.advance(100);
    await running;
    const storageVersions = client.resource<StorageVersion>(STORAGE_VERSIONS);
    await storageVersions.delete('', 'core.events');
    clock.advance(600_000);
    await eventLoopTurns();
    expect(await recorded(client)).toEqual(['apps.deployments', 'core.events']);
    stop.abort();
    await eventLoopTurns();
  });

  it('ends when the server stops', async () => {
    const { manager, clock, stop } = managerOf();
    const running = storageVersionHook(manager, clock).run({ loopbackClient: fakeClient(), signal: stop.signal });
    stop.abort();
    await running;
    expect(manager.isCompleted).toBe(false);
  });
});
