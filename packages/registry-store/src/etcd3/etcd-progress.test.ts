import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { FakeEtcd } from '../testing/fake-etcd.js';
import { create, listOptions, make, names, setColor, watch } from '../testing/suites/storage-suite-fixture.js';
import { WIDGETS } from '../testing/widget-cache.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { openEtcdStore } from './open-etcd-store.js';

/** A cache of two widgets over a member of that version; later requests are recorded in `calls`. */
async function cacheOver(version: string) {
  const resources = new AsyncDisposableStack();
  const etcd = resources.use(await FakeEtcd.start(version));
  const store = resources.use(await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 }));
  const provider = resources.use(createStorageProvider({ store, clock: systemClock, codecFor: memoizedCodecs() }));
  const storage = provider.storageFor(storedWidgetDefinition());
  await create(storage, 'ns/a');
  await create(storage, 'ns/b');
  await storage.ready();
  etcd.calls.length = 0;
  /** Another server's write. */
  const theirs = async (name: string) => {
    const value = Buffer.from(JSON.stringify(make(`ns/${name}`)));
    await etcd.store.commit({ type: 'put', key: `${WIDGETS}ns/${name}`, value, expectedRevision: 0 });
  };
  return { etcd, store, storage, theirs, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe('an etcd that reports the progress of watches', () => {
  it.each([
    ['3.5.13', 'onRequest'],
    ['3.4.31', 'onRequest'],
    ['3.5.12', 'unknown'],
  ] as const)('%s: %s', async (version, freshness) => {
    await using all = await cacheOver(version);
    expect(all.store.freshness).toBe(freshness);
    await all.theirs('c');
    expect(names(await all.storage.list('', listOptions()))).toEqual(['a@2', 'b@3', 'c@4']);
    expect(all.etcd.calls.includes('range')).toBe(freshness === 'unknown');
  });

  it('serves lists and initial events from the cache once the watch has reported all earlier writes', async () => {
    await using all = await cacheOver('3.5.13');
    all.etcd.hold();
    await all.theirs('c');
    let listed: readonly string[] | undefined;
    const listing = all.storage.list('', listOptions()).then((list) => {
      listed = names(list);
    });
    const watching = watch(all.storage, '', { sendInitialEvents: true });
    await expect.poll(() => all.etcd.calls.filter((call) => call === 'progress').length).toBeGreaterThan(2);
    expect(listed).toBeUndefined();
    all.etcd.release();
    await listing;
    expect(listed).toEqual(['a@2', 'b@3', 'c@4']);
    expect((await (await watching).have(3)).length).toBe(3);
    expect(all.etcd.calls).not.toContain('range');
    const sentInAWhile = async () => {
      const before = all.etcd.calls.length;
      await sleep(300);
      return all.etcd.calls.length - before;
    };
    await expect.poll(sentInAWhile).toBe(0);
  });

  it('does not wait if the cache has all writes, and asks again after the next write', async () => {
    await using all = await cacheOver('3.5.13');
    await setColor(all.storage, 'ns/a', 'red');
    const list = await all.storage.list('', listOptions());
    expect(names(list)).toEqual(['a@4', 'b@3']);
    await all.etcd.store.commit({ type: 'put', key: '/other', value: Buffer.from('x'), expectedRevision: 0 });
    // The write produced no event for the watch: only its progress covers it.
    expect((await all.storage.list('', listOptions())).resourceVersion).toBe('5');
    expect(all.etcd.calls).toContain('progress');
    expect(all.etcd.calls).not.toContain('range');
  });

  it('reads etcd when the watch does not report in time', async () => {
    await using all = await cacheOver('3.5.13');
    all.etcd.hold();
    await all.theirs('c');
    const started = performance.now();
    expect(names(await all.storage.list('', listOptions()))).toEqual(['a@2', 'b@3', 'c@4']);
    expect(performance.now() - started).toBeGreaterThan(2900);
    expect(all.etcd.calls).toContain('range');
    all.etcd.release();
  });
});
