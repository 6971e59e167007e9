import { systemClock } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { prefixEnd } from '../key-value-store.js';
import { findEtcd, NO_ETCD, startEtcd } from '../testing/etcd-server.js';
import { create, listOptions, make, names, remove, setColor, watch } from '../testing/suites/storage-suite-fixture.js';
import { WIDGETS } from '../testing/widget-cache.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { EtcdCompactor } from './etcd-compactor.js';
import { EtcdConnection } from './etcd-connection.js';
import { LeaseManager } from './lease-manager.js';
import { openEtcdStore } from './open-etcd-store.js';
import { ProgressSupport, supportsProgress } from './progress-support.js';

/** Storage of widgets for each of several servers on one etcd. */
async function servers(count: number) {
  const resources = new AsyncDisposableStack();
  const etcd = resources.use(await startEtcd());
  const made = [];
  for (let i = 0; i < count; i++) {
    const store = resources.use(await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 }));
    const provider = resources.use(createStorageProvider({ store, clock: systemClock, codecFor: memoizedCodecs() }));
    const storage = provider.storageFor(storedWidgetDefinition());
    await storage.ready();
    made.push({ store, storage });
  }
  return Object.assign(made, { [Symbol.asyncDispose]: () => resources.disposeAsync() });
}

describe.skipIf(findEtcd() === undefined)(`servers on one etcd (${NO_ETCD})`, () => {
  it('read what another has just written, from lists, gets and initial events', async () => {
    await using all = await servers(3);
    for (let i = 0; i < 20; i++) {
      const writer = all[i % 3]?.storage;
      const reader = all[(i + 1) % 3]?.storage;
      if (writer === undefined || reader === undefined) throw new TypeError('there are three');
      const revision = await create(writer, `ns/w${String(i).padStart(2, '0')}`);
      const list = await reader.list('', listOptions());
      expect([list.items.length, Number(list.resourceVersion) >= revision]).toEqual([i + 1, true]);
      expect((await reader.get(`ns/w${String(i).padStart(2, '0')}`, {})).resourceVersion).toBe(String(revision));
      const recorder = await watch(reader, '', { sendInitialEvents: true });
      expect((await recorder.have(i + 1)).length).toBe(i + 1);
    }
  });

  it('list the state at their revision, despite concurrent writes', async () => {
    await using all = await servers(2);
    const [one, two] = all as unknown as readonly [(typeof all)[0], (typeof all)[0]];
    let busy = true;
    const writers = ['a', 'b', 'c'].map(async (worker) => {
      for (let i = 0; busy; i++) {
        const key = `ns/${worker}${i % 40}`;
        // All kinds of changes in random order, whether or not the key exists.
        if (i % 3 === 0) await create(one.storage, key).catch(() => {});
        else if (i % 3 === 1) await setColor(one.storage, key, `c${i}`).catch(() => {});
        else await remove(one.storage, key).catch(() => {});
      }
    });
    const prefix = WIDGETS;
    for (const until = Date.now() + 1500; Date.now() < until; ) {
      const before = await one.store.currentRevision();
      const list = await two.storage.list('', listOptions());
      const revision = Number(list.resourceVersion);
      expect(revision).toBeGreaterThanOrEqual(before);
      const { kvs } = await one.store.range({ start: prefix, end: prefixEnd(prefix), revision });
      const stored = kvs.map(({ key, modRevision }) => `${key.slice(prefix.length)}@${modRevision}`);
      expect(list.items.map(({ object, resourceVersion }) => `ns/${object.metadata.name}@${resourceVersion}`)).toEqual(
        stored,
      );
    }
    busy = false;
    await Promise.all(writers);
  });

  it('see each other’s changes in their watches, and lose no increment', async () => {
    await using all = await servers(3);
    await create((all[0] as (typeof all)[0]).storage, 'ns/a', { spec: { size: 0 } });
    const recorders = await Promise.all(all.map(({ storage }) => watch(storage, '', { resourceVersion: '2' })));
    const increments = all.flatMap(({ storage }) =>
      Array.from({ length: 10 }, async () => {
        await storage.guaranteedUpdate('ns/a', {}, async (current) => ({
          object: { ...make('ns/a'), spec: { size: (current?.object.spec?.size ?? 0) + 1 } },
        }));
      }),
    );
    await Promise.all(increments);
    const expected = Array.from({ length: 30 }, (_, i) => `MODIFIED ns/a@${i + 3}`);
    for (const recorder of recorders) expect(await recorder.have(30)).toEqual(expected);
    for (const { storage } of all) expect((await storage.get('ns/a', {})).object.spec?.size).toBe(30);
  });

  it('reject by the newest state, not by that of their cache', async () => {
    await using all = await servers(2);
    const [one, two] = all.map(({ storage }) => storage) as [(typeof all)[0]['storage'], (typeof all)[0]['storage']];
    await create(one, 'ns/a');
    await setColor(two, 'ns/a', 'red');
    const current = (await one.get('ns/a', {})).resourceVersion;
    await setColor(two, 'ns/a', 'blue');
    const stale = one.guaranteedUpdate('ns/a', { resourceVersion: current }, async () => ({ object: make('ns/a') }));
    await expect(stale).rejects.toMatchObject({ storageErrorCode: 'InvalidPreconditions' });
    await remove(two, 'ns/a');
    await expect(remove(one, 'ns/a')).rejects.toMatchObject({ storageErrorCode: 'KeyNotFound' });
    await create(two, 'ns/a');
    expect(names(await one.list('', listOptions()))).toEqual([expect.stringMatching(/^a@/)]);
  });

  it('take turns to compact the history before the last turn, by upstream’s key', async () => {
    await using etcd = await startEtcd();
    await using store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 });
    const connection = new EtcdConnection({
      endpoints: [etcd.url],
      tls: {},
      clock: systemClock,
      requestTimeout: 5000,
      connectTimeout: 5000,
    });
    const reported: number[] = [];
    const compacted = (revision: number) => void reported.push(revision);
    const options = { connection, clock: systemClock, interval: 0, failed: () => {}, compacted };
    const [one, two] = [new EtcdCompactor(options), new EtcdCompactor(options)];
    const put = (key: string) => store.commit({ type: 'put', key, value: Buffer.from('x'), expectedRevision: 0 });
    const key = async () => {
      const { kv } = await store.get('compact_rev_key');
      return kv && [Buffer.from(kv.value).toString(), kv.modRevision];
    };
    expect([await one.round(), await key()]).toEqual([undefined, ['0', 2]]);
    expect([await two.round(), await key()]).toEqual([undefined, ['0', 2]]);
    await put('/a');
    expect([await one.round(), await key(), await store.compactedRevision()]).toEqual([2, ['2', 4], 2]);
    expect(await two.round()).toBeUndefined();
    await put('/b');
    expect([await two.round(), await key(), await store.compactedRevision()]).toEqual([4, ['4', 6], 4]);
    expect(await one.round()).toBeUndefined();
    // Each is notified of both.
    expect(reported).toEqual([2, 2, 4, 4]);
    connection.close();
  });
});

describe('LeaseManager', () => {
  it('reports the number of keys of a lease when the next one is made', async () => {
    const counts: number[] = [];
    const leases = new LeaseManager({ clock: new ManualClock(), reuseSeconds: 60, grant: async () => 1 });
    leases.observe((keys) => counts.push(keys));
    for (let i = 0; i < 3; i++) await leases.leaseFor(3600);
    await leases.leaseFor(100);
    expect(counts).toEqual([1, 4]);
  });

  it('shares a lease that expires neither too early nor much too late', async () => {
    const clock = new ManualClock();
    const granted: number[] = [];
    const grant = async (seconds: number) => granted.push(seconds);
    const leases = new LeaseManager({ clock, reuseSeconds: 60, grant });
    expect([await leases.leaseFor(3600), await leases.leaseFor(3600)]).toEqual([1, 1]);
    clock.advance(59_000);
    expect(await leases.leaseFor(3600)).toBe(1);
    clock.advance(1000);
    expect([await leases.leaseFor(3600), await leases.leaseFor(100), await leases.leaseFor(100)]).toEqual([2, 3, 3]);
    expect(granted).toEqual([3660, 3660, 105]);
    for (let i = 0; i < 998; i++) await leases.leaseFor(100);
    expect([await leases.leaseFor(100), granted.length]).toEqual([4, 4]);
    leases.forget();
    expect(await leases.leaseFor(100)).toBe(5);
  });
});

describe('supportsProgress', () => {
  it.each([
    ['3.4.23', false],
    ['3.4.30', false],
    ['3.4.31', true],
    ['3.5.0', false],
    ['3.5.12', false],
    ['3.5.13', true],
    ['3.5.13-rc.0+git', true],
    ['3.6.0-alpha.0', true],
    ['3.3.27', false],
    ['4.0.0', true],
    ['', false],
  ])('%s: %s', (version, expected) => expect(supportsProgress(version)).toBe(expected));

  it('goes by the oldest member of a cluster, and retries one that did not respond', async () => {
    const versions: Record<string, string | undefined> = { a: '3.5.21', b: undefined };
    const clock = new ManualClock();
    const status = async (endpoint: string) => {
      const version = versions[endpoint];
      if (version === undefined) throw new Error('unreachable');
      return { version, databaseSize: 0 };
    };
    const support = new ProgressSupport({ endpoints: ['a', 'b'], status, clock });
    expect([await support.known(), support.supported]).toEqual([false, undefined]);
    versions['b'] = '3.5.13';
    expect(await support.known()).toBe(false);
    clock.advance(1000);
    await support.known();
    expect([await support.known(), support.supported]).toEqual([true, true]);
    const mixed = async (endpoint: string) => ({ version: endpoint, databaseSize: 0 });
    const old = new ProgressSupport({ endpoints: ['3.5.21', '3.4.23'], status: mixed, clock });
    expect([await old.known(), old.supported]).toEqual([false, false]);
  });
});
