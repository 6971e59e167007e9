import { newInternalError } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { Storage } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { ObjectCounts } from '../object-counts.js';
import { DecodedObjects } from '../objects/decoded-objects.js';
import { spiedFieldSelector } from '../testing/spied-field-selector.js';
import { WatchRecorder } from '../testing/watch-recorder.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache, newWidgetContext, WIDGETS, type WidgetCacheOptions } from '../testing/widget-cache.js';
import { memoizedCodecs, storedWidgetDefinition, widgetsOfTwoVersions } from '../testing/widget-kind.js';
import { createCacher } from './cacher.js';
import type { WindowBounds } from './event-window.js';

const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector, allowBookmarks: false };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let store: KeyValueStore;
let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock();
  store = createMemoryStore({ clock, compactionInterval: 0 });
});
afterEach(() => store[Symbol.asyncDispose]());

type CacheChanges = Omit<WidgetCacheOptions, 'store' | 'clock'>;

const newCache = (changes: CacheChanges = {}): Storage<Widget> => newWidgetCache({ store, clock, ...changes });

const make = (name: string, size = 0): Widget => widget({ name, namespace: 'ns', uid: name }, { spec: { size } });

async function resize(storage: Storage<Widget>, name: string, size: number): Promise<string> {
  const { stored } = await storage.guaranteedUpdate(`ns/${name}`, {}, async () => ({ object: make(name, size) }));
  return stored.resourceVersion;
}

async function watchFrom(storage: Storage<Widget>, resourceVersion: string): Promise<WatchRecorder<Widget>> {
  return new WatchRecorder(await storage.watch('', { ...everything, resourceVersion }));
}

const tiny: WindowBounds = { minChanges: 4, maxChanges: 4, maxBytes: 2 ** 20, freshMs: 75_000 };

describe('Cacher', () => {
  it('resumes from the store beyond its window, and continues live', async () => {
    await using storage = newCache({ window: tiny });
    await storage.ready();
    for (let i = 1; i <= 1500; i++) await resize(storage, 'a', i);
    const recorder = await watchFrom(storage, '2');
    const later = (async () => {
      for (let i = 1; i <= 50; i++) {
        await resize(storage, 'b', i);
        await turn();
      }
    })();
    const lines = await recorder.have(1549);
    await later;
    expect(lines.map((line) => Number(line.split('@')[1]))).toEqual(Array.from({ length: 1549 }, (_, i) => i + 3));
    expect(lines.slice(1498, 1500)).toEqual(['MODIFIED ns/a@1501', 'ADDED ns/b@1502']);
  });

  it('shares one event among all its watchers', async () => {
    await using storage = newCache();
    const recorders = await Promise.all([1, 2, 3].map(() => watchFrom(storage, '1')));
    await turn();
    await resize(storage, 'a', 1);
    await storage.delete('ns/a', {}, async () => {});
    for (const recorder of recorders) {
      expect(await recorder.have(2)).toEqual(['ADDED ns/a@2', 'DELETED ns/a@3']);
      expect(recorder.events[0]).toBe(recorders[0]?.events[0]);
      expect(recorder.events[1]?.frames).toBe(recorders[0]?.events[1]?.frames);
    }
    // Later watchers have their own events: shared frames are not kept for them.
    const late = await Promise.all([1, 2].map(() => watchFrom(storage, '1')));
    for (const recorder of late) expect(await recorder.have(2)).toEqual(['ADDED ns/a@2', 'DELETED ns/a@3']);
    const [first, second] = late.map(({ events }) => events[0]);
    expect([first === second, first === recorders[0]?.events[0]]).toEqual([true, false]);
  });

  it('waits for a slow client before it sends more', async () => {
    await using storage = newCache();
    for (let i = 0; i < 200; i++) await storage.create(`ns/w${i}`, make(`w${i}`));
    const gate = Promise.withResolvers<void>();
    let events = 0;
    const source = await storage.watch('', { ...everything });
    source.start({ event: () => void events++, ready: () => gate.promise, end: () => {} });
    for (let i = 0; i < 5; i++) await turn();
    expect(events).toBe(64);
    await storage.create('ns/x', make('x'));
    gate.resolve();
    for (let i = 0; i < 20; i++) await turn();
    expect(events).toBe(201);
  });

  it.each(['', '1'])(
    'yields to the event loop while a watch from version "%s" selects little',
    async (resourceVersion) => {
      await using storage = newCache();
      for (let i = 0; i < 100; i++) await storage.create(`ns/w${i}`, make(`w${i}`));
      let turns = 0;
      const counting = setInterval(() => turns++, 0);
      const seen = new Set<number>();
      const fieldSelector = spiedFieldSelector('spec.color=red', () => {
        seen.add(turns);
        const until = performance.now() + 1;
        while (performance.now() < until);
      });
      await storage.create('ns/z', { ...make('z'), spec: { color: 'red' } });
      const recorder = new WatchRecorder(
        await storage.watch('', {
          ...everything,
          fieldSelector,
          ...(resourceVersion === '' ? {} : { resourceVersion }),
        }),
      );
      await recorder.have(1);
      clearInterval(counting);
      // 100 ms of work.
      expect(seen.size).toBeGreaterThan(4);
    },
  );

  it('returns the same entry from a write and later reads', async () => {
    await using storage = newCache();
    await storage.ready();
    const created = await storage.create('ns/a', make('a'));
    expect(await storage.get('ns/a', {})).toBe(created);
    expect((await storage.list('', everything)).items[0]).toBe(created);
  });

  it('bounds the number of decoded objects', async () => {
    const decoded = new DecodedObjects(1000);
    await using storage = newCache({ decoded });
    for (let i = 0; i < 50; i++) await storage.create(`ns/w${i}`, make(`w${i}`));
    const { items } = await storage.list('', everything);
    const first = items[0]?.object;
    for (const item of items) expect(item.object.metadata.namespace).toBe('ns');
    expect(decoded.bytes).toBeLessThanOrEqual(1000);
    expect(items[0]?.object).toEqual(first);
    expect(items[0]?.object).not.toBe(first);
  });

  it('isolates a watcher that throws', async () => {
    await using storage = newCache();
    const ended: unknown[] = [];
    const broken = await storage.watch('', { ...everything, resourceVersion: '1' });
    broken.start({
      event: () => {
        throw new RangeError('bug');
      },
      end: (error) => void ended.push(error?.status.code),
    });
    const other = await watchFrom(storage, '1');
    await turn();
    await resize(storage, 'a', 1);
    expect(await other.have(1)).toEqual(['ADDED ns/a@2']);
    expect(ended).toEqual([500]);
  });

  it('closes its watch on the store if it cannot decode an event while it fills', async () => {
    const { watch } = store;
    let closing: MockInstance | undefined;
    vi.spyOn(store, 'watch').mockImplementationOnce((options, sink) => {
      const watching = watch.call(store, options, sink);
      closing = vi.spyOn(watching, 'close');
      const key = `${WIDGETS}ns/a`;
      const value = Buffer.from('{"kind":');
      queueMicrotask(() => sink.event({ type: 'put', key, revision: 2, value, previous: undefined }));
      return watching;
    });
    await using storage = newCache();
    await expect(storage.ready()).rejects.toThrow('storage is (re)initializing');
    expect(closing?.mock.calls.length).toBe(1);
  });

  it('skips watchers of other namespaces and names', async () => {
    await using storage = newCache();
    const seen: string[] = [];
    const fieldSelector = spiedFieldSelector('metadata.name=b', (fields) => seen.push(fields['metadata.name'] ?? ''));
    const source = await storage.watch('', { ...everything, fieldSelector, resourceVersion: '1' });
    const recorder = new WatchRecorder(source);
    await turn();
    for (const name of ['a', 'b', 'c']) await resize(storage, name, 1);
    expect(await recorder.have(1)).toEqual(['ADDED ns/b@3']);
    expect(new Set(seen)).toEqual(new Set(['b']));
  });
});

describe('stored forms', () => {
  const twoVersions = widgetsOfTwoVersions();
  const atRest = async () =>
    Buffer.from((await store.get('/registry/example.com/widgets/ns/a')).kv?.value ?? []).toString();

  it('stores in the storage version and returns the hub version', async () => {
    await using storage = newCache({ definition: twoVersions });
    const created = await storage.create('ns/a', make('a', 1));
    expect([created.object.apiVersion, JSON.parse(await atRest()).apiVersion]).toEqual([
      'example.com/v1',
      'example.com/v2',
    ]);
    expect(await resize(storage, 'a', 1)).toBe('2');
    expect(await resize(storage, 'a', 2)).toBe('3');
  });

  it('rewrites objects of an older version on an update without changes', async () => {
    await using old = newCache();
    await old.create('ns/a', make('a', 1));
    await using storage = newCache({ definition: twoVersions });
    expect((await storage.get('ns/a', {})).object.apiVersion).toBe('example.com/v1');
    expect(await resize(storage, 'a', 1)).toBe('3');
    expect(JSON.parse(await atRest()).apiVersion).toBe('example.com/v2');
    expect(await resize(storage, 'a', 1)).toBe('3');
  });

  it('applies the transformer to everything, and rewrites stale values', async () => {
    const flip = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte) => byte ^ 0xff);
    let stale = false;
    const transformer = { toStorage: flip, fromStorage: (bytes: Uint8Array) => ({ bytes: flip(bytes), stale }) };
    await using storage = newCache({ transformer });
    await storage.create('ns/a', make('a', 1));
    expect((await atRest()).includes('Widget')).toBe(false);
    expect(await resize(storage, 'a', 1)).toBe('2');
    stale = true;
    await using next = newCache({ transformer });
    expect((await next.get('ns/a', {})).object.spec).toEqual({ size: 1 });
    expect(await resize(next, 'a', 1)).toBe('3');
  });
});

describe('createStorageProvider', () => {
  it('shares one storage per key prefix', async () => {
    await using provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs() });
    const first = provider.storageFor(storedWidgetDefinition());
    expect(provider.storageFor(storedWidgetDefinition({ resource: 'gadgets' }))).toBe(first);
    expect(provider.storageFor(storedWidgetDefinition({ keyPrefix: 'others' }))).not.toBe(first);
    await provider.ready();
    await expect(first.ready(AbortSignal.abort(new RangeError('no')))).rejects.toEqual(new RangeError('no'));
  });

  it('knows the stored bytes, before and after changes', async () => {
    const padded = {
      toStorage: (bytes: Uint8Array) => Buffer.concat([Buffer.from('padding '), bytes]),
      fromStorage: (bytes: Uint8Array) => ({ bytes: bytes.subarray(8), stale: false }),
    };
    const stored = async () => {
      const { kvs } = await store.range({ start: WIDGETS, end: prefixEnd(WIDGETS) });
      return kvs.reduce((sum, { value }) => sum + value.length, 0);
    };
    await using before = newWidgetCache({ store, clock, transformer: padded });
    for (const name of ['a', 'bb', 'ccc']) await before.create(`ns/${name}`, make(name));
    expect(before.storedBytes).toBeUndefined();
    await using storage = newWidgetCache({ store, clock, transformer: padded });
    await Promise.all([before.ready(), storage.ready()]);
    const sizes = [await stored()];
    expect([before.storedBytes, storage.storedBytes]).toEqual([sizes[0], sizes[0]]);
    await resize(storage, 'a', 123_456);
    await storage.delete('ns/bb', {}, async () => {});
    await storage.create('ns/d', make('d'));
    sizes.push(await stored());
    expect([before.storedBytes, storage.storedBytes]).toEqual([sizes[1], sizes[1]]);
    expect(sizes[1]).not.toBe(sizes[0]);
  });

  it('counts the objects of a filled cache without reading the store', async () => {
    let reads = 0;
    const counted =
      <A extends unknown[], R>(read: (...parameters: A) => R) =>
      (...parameters: A): R => {
        reads++;
        return read.apply(store, parameters);
      };
    const counting: KeyValueStore = Object.assign(Object.create(store), {
      range: counted(store.range),
      scan: store.scan && counted(store.scan),
      get: store.get.bind(store),
      commit: store.commit.bind(store),
      watch: store.watch.bind(store),
    });
    const counters = new ObjectCounts();
    const options = { store: counting, clock, codecFor: memoizedCodecs(), counted: counters.add };
    await using provider = createStorageProvider(options);
    const storage = provider.storageFor(storedWidgetDefinition());
    await storage.create('ns/a', make('a'));
    const counts = async () => await Promise.all([...counters].map(({ count }) => count()));
    expect([await counts(), reads]).toEqual([[1], 1]);
    await storage.ready();
    await storage.create('ns/b', make('b'));
    reads = 0;
    expect([await counts(), reads]).toEqual([[2], 0]);
  });

  it('counts no resources without an API', async () => {
    const counters = new ObjectCounts();
    await using provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs(), counted: counters.add });
    const definition = storedWidgetDefinition();
    const hidden = provider.storageFor({ ...definition, keyPrefix: 'hidden', verbs: [] });
    await hidden.create('ns/a', make('a'));
    await provider.storageFor(definition).create('ns/b', make('b'));
    expect(await Promise.all([...counters].map(({ count }) => count()))).toEqual([1]);
  });

  it('says why a conversion failed, and serves lists once it succeeds', async () => {
    let isAway = true;
    const context = newWidgetContext({ store });
    await newCache().create('ns/a', make('a'));
    const conversion = {
      fromStored: async (bytes: Uint8Array) => {
        if (isAway) throw newInternalError('the webhook is away');
        return { bytes, stale: false };
      },
      toStored: (bytes: Uint8Array) => bytes,
    };
    await using storage = createCacher({ ...context, conversion }, { clock });
    for (let i = 0; i < 2; i++) {
      await expect(storage.list('', everything)).rejects.toMatchObject({
        status: { code: 500, message: 'Internal error occurred: the webhook is away' },
      });
    }
    isAway = false;
    expect((await storage.list('', everything)).items).toHaveLength(1);
    clock.advance(1000);
    for (let i = 0; i < 5; i++) await turn();
    const range = vi.spyOn(store, 'range');
    expect((await storage.list('', everything)).items).toHaveLength(1);
    expect(range.mock.calls).toEqual([]);
  });

  it('reports which object is corrupt', async () => {
    const key = '/registry/example.com/widgets/ns/a';
    await store.commit({ type: 'put', key, value: Buffer.from('{"kind":'), expectedRevision: 0 });
    await using storage = newCache();
    await expect(storage.get('ns/a', {})).rejects.toMatchObject({ storageErrorCode: 'Corrupt', key });
  });
});
