import { testAuthenticationExchange } from '@apiserver/authentication/testing';
import type { HealthCheck } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type StorageCheckOptions, storageCheck } from './storage-check.js';
import { overrideStores, storageChecks } from './storage-checks.js';
import type { StorageConfig } from './storage-config.js';

const clock = new ManualClock();
const base = createMemoryStore({ clock, compactionInterval: 0 });
afterAll(() => base[Symbol.asyncDispose]());

/** A store that is read by `get`; `keys` are those that were read. */
function reading(get: () => Promise<void>, replacement?: string) {
  const keys: string[] = [];
  const store: KeyValueStore = Object.create(base, {
    get: {
      value: async (key: string) => {
        await get();
        keys.push(key);
        return base.get('/none');
      },
    },
    replacement: { value: replacement },
  });
  return { store, keys };
}

const check = (store: KeyValueStore, changes: Partial<StorageCheckOptions> = {}) =>
  storageCheck({ store, key: '/registry/health', name: 'etcd', timeout: 2000, clock, ...changes });

/** Runs a check as a request for health does. */
async function run(tested: HealthCheck): Promise<void> {
  await tested.check(testAuthenticationExchange().exchange);
}

describe('storageCheck', () => {
  it('reads its key', async () => {
    const { store, keys } = reading(async () => {});
    const tested = check(store);
    await run(tested);
    expect([tested.name, tested.group, keys]).toEqual(['etcd', undefined, ['/registry/health']]);
  });

  it('gives the reason and the cause of a failure', async () => {
    const cause = new Error('no leader');
    const { store } = reading(() => Promise.reject(cause));
    await expect(run(check(store))).rejects.toMatchObject({
      message: 'error getting data from etcd: no leader',
      cause,
    });
  });

  it('shares a read that hangs, fails after its time, and reads again when it has ended', async () => {
    let reads = 0;
    const hanging = Promise.withResolvers<void>();
    const { store } = reading(() => (++reads === 1 ? hanging.promise : Promise.resolve()));
    const tested = check(store);
    const late = { message: 'error getting data from etcd: context deadline exceeded' };
    for (let i = 0; i < 2; i++) {
      const failed = expect(run(tested)).rejects.toMatchObject(late);
      clock.advance(1999);
      clock.advance(1);
      await failed;
    }
    expect(reads).toBe(1);
    const ended = run(tested);
    hanging.resolve();
    await ended;
    await run(tested);
    expect(reads).toBe(2);
  });

  it('cancels its timer after a response', async () => {
    const cancel = vi.fn();
    const timers: number[] = [];
    const schedule = (_callback: () => void, milliseconds: number) => {
      timers.push(milliseconds);
      return cancel;
    };
    await run(check(reading(async () => {}).store, { clock: { now: () => 0, schedule } }));
    expect([timers, cancel.mock.calls.length]).toEqual([[2000], 1]);
  });

  it('fails for good when another etcd has taken its place, if it is about readiness', async () => {
    const { store } = reading(async () => {}, 'another cluster');
    await run(check(store));
    await expect(run(check(store, { ofReadiness: true }))).rejects.toThrow(
      'etcd is not the one that this server began with, restart the server: another cluster',
    );
    await run(check(reading(async () => {}).store, { ofReadiness: true }));
  });
});

describe('storageChecks', () => {
  const [main, first, second] = [1, 2, 3].map(() => reading(async () => {}, 'replaced'));
  if (main === undefined || first === undefined || second === undefined) throw new Error('three stores expected');
  const overrides = [first, first, second].map(({ store }) => ({ store }));
  const storage = {
    root: '/registry',
    healthcheckTimeout: 1,
    readycheckTimeout: 2,
    stores: { main: main.store, overrides },
  } as unknown as StorageConfig;

  it('checks each store once, under the names of upstream', async () => {
    const { health, ready } = storageChecks(storage, { clock });
    const named = (checks: typeof health) => checks.map(({ name, group }) => [name, group]);
    expect([named(health), named(ready)]).toEqual([
      [
        ['etcd', undefined],
        ['etcd-override-0', 'etcd'],
        ['etcd-override-1', 'etcd'],
      ],
      [
        ['etcd-readiness', undefined],
        ['etcd-override-readiness-0', 'etcd-readiness'],
        ['etcd-override-readiness-1', 'etcd-readiness'],
      ],
    ]);
    for (const tested of health) await run(tested);
    for (const tested of ready) await expect(run(tested)).rejects.toThrow('restart the server');
    expect([main.keys, first.keys, second.keys]).toEqual(Array(3).fill(Array(2).fill('/registry/health')));
    expect(overrideStores(storage.stores)).toEqual([first.store, second.store]);
  });
});
