import { everythingSelector, parseFieldSelector } from '@apiserver/apimachinery/selectors';
import { eventLoopTurns, ManualClock } from '@apiserver/apimachinery/testing';
import type { Storage, StorageListOptions } from '@apiserver/apiserver-contracts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { DecodedObjects } from '../objects/decoded-objects.js';
import { spiedFieldSelector } from '../testing/spied-field-selector.js';
import { WatchRecorder } from '../testing/watch-recorder.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache, WIDGETS } from '../testing/widget-cache.js';
import { type CacheMetrics, noCacheMetrics } from './cache-metrics.js';

const options = (field = '', changes: Partial<StorageListOptions> = {}): StorageListOptions => ({
  labelSelector: everythingSelector,
  fieldSelector: parseFieldSelector(field),
  ...changes,
});
const make = (key: string, color: string): Widget => {
  const [namespace = '', name = ''] = key.split('/');
  return widget({ name, namespace, uid: name }, { spec: { color } });
};

let store: KeyValueStore;
let clock: ManualClock;
/** Lists served from the cache: index, fetched, returned. */
let listed: (readonly [string, number, number])[];

beforeEach(() => {
  clock = new ManualClock();
  store = createMemoryStore({ clock, compactionInterval: 0 });
  listed = [];
});
afterEach(() => store[Symbol.asyncDispose]());

function newCache(changes: { readonly decoded?: DecodedObjects } = {}): Storage<Widget> {
  const metrics: CacheMetrics = { ...noCacheMetrics, listed: (...row) => void listed.push(row) };
  return newWidgetCache({ store, clock, metrics, indexedField: 'spec.color', ...changes });
}

async function paint(cache: Storage<Widget>, key: string, color: string): Promise<void> {
  await cache.guaranteedUpdate(key, {}, async () => ({ object: make(key, color) }));
}

async function keysOf(cache: Storage<Widget>, prefix: string, wanted: StorageListOptions): Promise<string[]> {
  const { items } = await cache.list(prefix, wanted);
  return items.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`);
}

describe('a list of an exact version', () => {
  it('has that version, also if nothing of its resource has changed since', async () => {
    await using cache = newCache();
    await cache.ready();
    await paint(cache, 'a/1', 'red');
    await paint(cache, 'a/2', 'red');
    await store.commit({ type: 'put', key: '/elsewhere', value: Buffer.from('x'), expectedRevision: 0 });
    const exact = async (resourceVersion: string, limit: number) => {
      const list = await cache.list('', options('', { resourceVersion, match: 'Exact', limit }));
      const again =
        list.continue === undefined ? undefined : await cache.list('', options('', { continue: list.continue }));
      return [list, again].map((page) => page && [page.resourceVersion, page.items.length, page.remainingItemCount]);
    };
    expect([await exact('2', 5), await exact('3', 5), await exact('3', 1), await exact('4', 5)]).toEqual([
      [['2', 1, undefined], undefined],
      [['3', 2, undefined], undefined],
      [
        ['3', 1, 1],
        ['3', 1, undefined],
      ],
      [['4', 2, undefined], undefined],
    ]);
    expect(listed.length).toBeGreaterThanOrEqual(4);
    await store.compact(3);
    listed.length = 0;
    expect([await exact('3', 5), listed.length]).toEqual([[['3', 2, undefined], undefined], 1]);
    await expect(exact('2', 5)).rejects.toMatchObject({ storageErrorCode: 'Expired' });
  });
});

describe('lists by the indexed field', () => {
  it('visit no other objects, before and after changes', async () => {
    await using cache = newCache();
    for (const key of ['b/2', 'a/1', 'a/3', 'c/4']) await cache.create(key, make(key, key === 'c/4' ? 'blue' : 'red'));
    expect(await keysOf(cache, '', options('spec.color=red'))).toEqual(['a/1', 'a/3', 'b/2']);
    await paint(cache, 'a/1', 'blue');
    await cache.delete('a/3', {}, async () => {});
    await cache.create('d/5', make('d/5', 'red'));
    expect(await keysOf(cache, '', options('spec.color=red'))).toEqual(['b/2', 'd/5']);
    expect(await keysOf(cache, 'a/', options('spec.color=blue'))).toEqual(['a/1']);
    expect(await keysOf(cache, '', options('spec.color=blue,metadata.name!=4'))).toEqual(['a/1']);
    expect(listed).toEqual([
      ['f:spec.color', 3, 3],
      ['f:spec.color', 2, 2],
      ['f:spec.color', 1, 1],
      ['f:spec.color', 2, 1],
    ]);
  });

  it('parse nothing, and neither do watches', async () => {
    await using writer = newCache();
    for (const key of ['a/1', 'b/2', 'c/3']) await writer.create(key, make(key, key === 'c/3' ? 'blue' : 'red'));
    const decoded = new DecodedObjects(2 ** 20);
    await using cache = newCache({ decoded });
    expect((await cache.list('', options('spec.color=red,metadata.name!=2'))).items).toHaveLength(1);
    expect((await cache.list('', options('spec.color!=red'))).items).toHaveLength(1);
    const events: string[] = [];
    const source = await cache.watch('', { ...options('spec.color=red'), allowBookmarks: false });
    source.start({ event: ({ type, object }) => events.push(`${type}@${object.resourceVersion}`), end: () => {} });
    await eventLoopTurns();
    await paint(writer, 'a/1', 'blue');
    await paint(writer, 'c/3', 'red');
    expect(events).toEqual(['ADDED@2', 'ADDED@3', 'DELETED@5', 'ADDED@6']);
    expect(decoded.bytes).toBe(0);
  });

  it('find an object by name without visiting others', async () => {
    await using cache = newCache();
    for (const key of ['a/1', 'a/2', 'b/1']) await cache.create(key, make(key, 'red'));
    expect(await keysOf(cache, 'a/', options('metadata.name=1'))).toEqual(['a/1']);
    expect(await keysOf(cache, 'a/', options('metadata.name=3'))).toEqual([]);
    expect(await keysOf(cache, '', options('metadata.name=1'))).toEqual(['a/1', 'b/1']);
    expect(listed).toEqual([
      ['', 1, 1],
      ['', 0, 0],
      ['', 3, 2],
    ]);
  });
});

// Upstream: TestListIndexer
describe('the index that a list uses', () => {
  it.each([
    ['', '', ''],
    ['', 'metadata.namespace=a', ''],
    ['', 'spec.color=red', 'f:spec.color'],
    ['', 'spec.color!=red', ''],
    ['a/', '', ''],
    ['a/', 'metadata.namespace=a', ''],
    ['a/', 'spec.color=red', 'f:spec.color'],
    ['a/', 'spec.color!=red', ''],
    ['', 'metadata.name=1', ''],
    ['', 'metadata.name=1,metadata.namespace=a', ''],
    ['', 'metadata.name=1,spec.color=red', 'f:spec.color'],
    ['', 'metadata.name=1,spec.color!=red', ''],
    ['a/', 'metadata.name=1', ''],
    ['a/', 'metadata.name=1,metadata.namespace=a', ''],
    ['a/', 'metadata.name=1,metadata.namespace=a,spec.color=red', ''],
    ['a/', 'metadata.name=1,metadata.namespace=a,spec.color!=red', ''],
  ])('in "%s" with "%s": "%s"', async (prefix, selector, index) => {
    await using cache = newCache();
    for (const key of ['a/1', 'a/2', 'b/1']) await cache.create(key, make(key, 'red'));
    await cache.list(prefix, options(selector));
    expect(listed.map(([used]) => used)).toEqual([index]);
  });
});

// Upstream: TestComputeListLimit
it.each<[Partial<StorageListOptions>, number, boolean]>([
  [{}, 3, false],
  [{ limit: 1 }, 1, true],
  [{ limit: 1, resourceVersion: '2', match: 'NotOlderThan' }, 1, true],
  // Before caches could page.
  [{ limit: 1, resourceVersion: '0' }, 3, false],
])('a list with %j has %i objects', async (wanted, count, goesOn) => {
  await using cache = newCache();
  for (const key of ['a/1', 'a/2', 'b/1']) await cache.create(key, make(key, 'red'));
  const list = await cache.list('', options('', wanted));
  expect([list.items.length, list.continue !== undefined]).toEqual([count, goesOn]);
});

describe('watches by the indexed field', () => {
  it('receive objects that gain or lose the value, in their namespace', async () => {
    await using cache = newCache();
    const watch = async (prefix: string, field: string) =>
      new WatchRecorder(await cache.watch(prefix, { ...options(field), allowBookmarks: false, resourceVersion: '1' }));
    const red = await watch('', 'spec.color=red');
    const redInA = await watch('a/', 'spec.color=red');
    await cache.create('a/1', make('a/1', 'red'));
    await cache.create('b/2', make('b/2', 'red'));
    await cache.create('a/3', make('a/3', 'blue'));
    await paint(cache, 'a/1', 'blue');
    await paint(cache, 'a/3', 'red');
    await cache.delete('b/2', {}, async () => {});
    expect(await red.have(5)).toEqual(['ADDED a/1@2', 'ADDED b/2@3', 'DELETED a/1@5', 'ADDED a/3@6', 'DELETED b/2@7']);
    expect(await redInA.have(3)).toEqual(['ADDED a/1@2', 'DELETED a/1@5', 'ADDED a/3@6']);
  });

  it('begin with the objects of that value, and visit nothing else', async () => {
    await using cache = newCache();
    for (const key of ['b/2', 'a/1', 'a/3', 'c/4']) await cache.create(key, make(key, key === 'a/3' ? 'blue' : 'red'));
    const looked: string[] = [];
    const started = async (prefix: string, field: string) => {
      const fieldSelector = spiedFieldSelector(field, (fields) => looked.push(fields['metadata.name'] ?? ''));
      return new WatchRecorder(await cache.watch(prefix, { ...options(), fieldSelector, allowBookmarks: false }));
    };
    const red = await started('', 'spec.color=red');
    expect(await red.have(3)).toEqual(['ADDED a/1@3', 'ADDED b/2@2', 'ADDED c/4@5']);
    expect(looked).toEqual(['1', '2', '4']);
    const redInB = await started('b/', 'spec.color=red');
    await paint(cache, 'a/1', 'blue');
    await cache.create('b/5', make('b/5', 'red'));
    expect(await redInB.have(2)).toEqual(['ADDED b/2@2', 'ADDED b/5@7']);
    expect(await red.have(5)).toEqual([...red.lines.slice(0, 3), 'DELETED a/1@6', 'ADDED b/5@7']);
  });
});

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/\u{1f600}');
const step = fc.record({ key, remove: fc.boolean() });

describe('lists at an exact revision', () => {
  it('return the same from the window as from the store', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.constantFrom('', 'a/', 'b/'),
      fc.integer({ min: 0, max: 4 }),
      fc.nat(),
      async (steps, prefix, limit, pick) => {
        await using inner = createMemoryStore({ clock, compactionInterval: 0 });
        await using cache = newWidgetCache({
          store: inner,
          clock,
          metrics: { ...noCacheMetrics, listed: (...row) => void listed.push(row) },
        });
        await cache.ready();
        for (const { key, remove } of steps) {
          const exists = (await inner.get(WIDGETS + key)).kv !== undefined;
          if (remove && exists) await cache.delete(key, {}, async () => {});
          else await paint(cache, key, String(await inner.currentRevision()));
        }
        const newest = await inner.currentRevision();
        const at = options('', { resourceVersion: String(1 + (pick % newest)), match: 'Exact', limit });
        const direct = newWidgetCache({
          store: inner,
          clock,
          window: { minChanges: 0, maxChanges: 0, maxBytes: 0, freshMs: 0 },
        });
        const shown = async (from: Storage<Widget>, wanted: StorageListOptions) => {
          const { items, ...rest } = await from.list(prefix, wanted);
          return {
            ...rest,
            // A cache's token has a slash that the store's lacks.
            continue: rest.continue && Buffer.from(rest.continue, 'base64url').toString().replace('"/', '"'),
            items: items.map(({ object, resourceVersion }) => `${object.metadata.name}@${resourceVersion}`),
          };
        };
        listed = [];
        const first = await shown(cache, at);
        expect(listed).toHaveLength(1);
        expect(first).toEqual(await shown(direct, at));
        const token = (await cache.list(prefix, at)).continue;
        if (token === undefined) return;
        expect(Buffer.from(token, 'base64url').toString()).toContain('"start":"/');
        const next = options('', { continue: token, limit });
        listed.length = 1;
        expect(await shown(cache, next)).toEqual(await shown(direct, next));
        expect(listed).toHaveLength(2);
      },
    );
    await fc.assert(property, { numRuns: fc.readConfigureGlobal()?.numRuns ?? 150 });
  });

  it('are rejected if the revision was compacted, although the window has it', async () => {
    await using cache = newCache();
    await cache.ready();
    for (const color of ['red', 'blue', 'green']) await paint(cache, 'a/1', color);
    const at = (resourceVersion: string) => cache.list('', options('', { resourceVersion, match: 'Exact' }));
    expect((await at('2')).items[0]?.object.spec?.color).toBe('red');
    await store.compact(3);
    await expect(at('2')).rejects.toMatchObject({ storageErrorCode: 'Expired' });
    expect((await at('3')).items[0]?.object.spec?.color).toBe('blue');
  });
});
