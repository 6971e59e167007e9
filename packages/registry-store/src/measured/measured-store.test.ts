import { systemClock } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { KeyValueError } from '../key-value-error.js';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { ObjectCounts } from '../object-counts.js';
import type { StoreMetrics } from '../objects/store-metrics.js';
import { keyValueStoreSuite } from '../testing/suites/key-value-store-suite.js';
import { listOptions } from '../testing/suites/storage-suite-fixture.js';
import { widget } from '../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { MeasuredStore } from './measured-store.js';

function recording(): StoreMetrics & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    requested: (operation, seconds, failed) =>
      void lines.push(`${operation}${failed ? ' failed' : ''}${seconds >= 0 && seconds < 10 ? '' : ' at no time'}`),
    eventReceived: () => void lines.push('event'),
    progressReceived: () => void lines.push('progress'),
    undecodable: () => void lines.push('undecodable'),
    listed: (...counts) => void lines.push(`listed ${counts.join()}`),
  };
}

keyValueStoreSuite('measured', async (options) => {
  const store = createMemoryStore({ compactionInterval: 0, ...options });
  const measured = new MeasuredStore(store, recording());
  return Object.assign(measured, { [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() });
});

/** Describes itself as a network store. */
const remote = (store: KeyValueStore): KeyValueStore => Object.assign(store, { freshness: 'onRequest' as const });

describe('requests of a resource to its store', () => {
  async function counted(make: (store: KeyValueStore) => KeyValueStore): Promise<readonly string[]> {
    const metrics = recording();
    await using store = make(createMemoryStore({ clock: systemClock, compactionInterval: 0 }));
    const counts = new ObjectCounts();
    await using provider = createStorageProvider({
      store,
      clock: systemClock,
      codecFor: memoizedCodecs(),
      uncached: () => true,
      storeMetrics: () => metrics,
      counted: counts.add,
    });
    const storage = provider.storageFor(storedWidgetDefinition());
    await storage.create('ns/a', widget({ name: 'a', namespace: 'ns' }));
    await storage.create('ns/b', widget({ name: 'b', namespace: 'ns', labels: { l: 'x' } }));
    await storage.guaranteedUpdate('ns/a', {}, async (current) => ({
      object: { ...widget({ name: 'a', namespace: 'ns' }), ...current?.object, spec: { size: 2 } },
    }));
    await storage.get('ns/a', {});
    await storage.list('', listOptions({ label: 'l=x' }));
    await storage.delete('ns/b', {}, async () => {});
    await storage.currentResourceVersion();
    for (const { count } of counts) expect(await count()).toBe(1);
    return metrics.lines;
  }

  it('is counted by operation', async () => {
    expect(await counted(remote)).toEqual([
      ...['create', 'create', 'get', 'update', 'get', 'list', 'listed 2,2,1', 'get', 'delete', 'list', 'listWithCount'],
    ]);
  });

  it('are not counted for an embedded store', async () => {
    expect(await counted((store) => store)).toEqual(['listed 2,2,1']);
  });

  it('are counted when they fail', async () => {
    const metrics = recording();
    await using store = createMemoryStore({ clock: systemClock, compactionInterval: 0 });
    const measured = new MeasuredStore(store, metrics);
    const range = measured.range({ start: 'a', end: 'b', revision: 100 });
    await expect(range).rejects.toBeInstanceOf(KeyValueError);
    expect(metrics.lines).toEqual(['list failed']);
  });

  it('are counted when the result is not an object', async () => {
    const metrics = recording();
    await using store = createMemoryStore({ clock: systemClock, compactionInterval: 0 });
    const key = '/registry/example.com/widgets/ns/a';
    await store.commit({ type: 'put', key, value: Buffer.from('{}'), expectedRevision: 0 });
    await using provider = createStorageProvider({
      store,
      clock: systemClock,
      codecFor: memoizedCodecs(),
      uncached: () => true,
      storeMetrics: () => metrics,
    });
    await expect(provider.storageFor(storedWidgetDefinition()).get('ns/a', {})).rejects.toThrow(/corrupt object/);
    expect(metrics.lines).toEqual(['undecodable']);
  });

  it('have their events counted', async () => {
    const metrics = recording();
    await using store = createMemoryStore({ clock: systemClock, compactionInterval: 0 });
    const measured = new MeasuredStore(store, metrics);
    const watch = measured.watch({ start: 'a', end: 'b' }, { event: () => {}, end: () => {} });
    await store.commit({ type: 'put', key: 'a1', value: Buffer.from('x'), expectedRevision: 0 });
    await store.commit({ type: 'put', key: 'c1', value: Buffer.from('x'), expectedRevision: 0 });
    watch.close();
    expect(metrics.lines).toEqual(['event']);
  });
});
