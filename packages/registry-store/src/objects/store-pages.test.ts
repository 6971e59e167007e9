import { TimeSlice } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { create, listOptions, names, setColor } from '../testing/suites/storage-suite-fixture.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetContext, WIDGETS } from '../testing/widget-cache.js';
import { createObjectStorage } from './object-storage.js';
import { StorePages } from './store-pages.js';
import type { StoredEntry } from './stored-entry.js';

let clock: ManualClock;
let store: KeyValueStore;
beforeEach(() => {
  clock = new ManualClock();
  store = createMemoryStore({ clock, compactionInterval: 0 });
});
afterEach(() => store[Symbol.asyncDispose]());

const range = { start: WIDGETS, end: prefixEnd(WIDGETS) };
const nameAt = (index: number) => `ns/w${String(index).padStart(2, '0')}`;

/** A resource of which a cache knows the objects that it had before others changed some of them. */
async function known(count: number, changed: readonly number[]) {
  const plain = newWidgetContext({ store });
  const storage = createObjectStorage(plain, clock);
  for (let i = 0; i < count; i++) await create(storage, nameAt(i));
  const cached = new Map<string, StoredEntry<Widget>>();
  for (const entry of (await storage.list('', listOptions())).items as readonly StoredEntry<Widget>[]) {
    cached.set(entry.key, entry);
  }
  for (const index of changed) await setColor(storage, nameAt(index), 'red');
  const context = {
    ...plain,
    known: (key: string, revision: number) => {
      const entry = cached.get(key);
      return entry?.revision === revision ? entry : undefined;
    },
  };
  return { context, cached, ranges: vi.spyOn(store, 'range'), gets: vi.spyOn(store, 'get') };
}

describe('a page of a resource that a cache has', () => {
  it('is read by its keys, and the few changed objects one by one, at its revision', async () => {
    const { context, cached, ranges, gets } = await known(32, [3, 5]);
    const page = await new StorePages(context).read({ ...range, limit: 32, count: true });
    expect([ranges.mock.calls, gets.mock.calls]).toEqual([
      [[{ ...range, limit: 32, count: true, keysOnly: true }]],
      [3, 5].map((index) => [`${WIDGETS}${nameAt(index)}`, { revision: 35 }]),
    ]);
    const entries = page.kvs.map((_, index) => page.entry(index) as StoredEntry<Widget>);
    expect([page.revision, page.more, page.count, entries.length]).toEqual([35, false, 32, 32]);
    const isCached = entries.map((entry) => cached.get(entry.key) === entry);
    expect(isCached.flatMap((is, index) => (is ? [] : [index]))).toEqual([3, 5]);
    expect([3, 5].map((index) => entries[index]?.object.spec)).toEqual([{ color: 'red' }, { color: 'red' }]);
  });

  it('is read as a whole if the cache has too few of its objects, and so are the next ones', async () => {
    const { context, ranges, gets } = await known(32, [1, 2, 3]);
    const pages = new StorePages(context);
    expect([pages.sizeAfter(500, false), pages.sizeAfter(500, true)]).toEqual([5000, 1000]);
    const page = await pages.read({ ...range, limit: 20_000, count: true });
    await pages.read({ ...range, limit: 7 });
    expect([ranges.mock.calls, gets.mock.calls]).toEqual([
      [
        [{ ...range, limit: 20_000, count: true, keysOnly: true }],
        [{ ...range, limit: 10_000, count: true, revision: 36 }],
        [{ ...range, limit: 7 }],
      ],
      [],
    ]);
    const colors = page.kvs.map((_, index) => (page.entry(index) as StoredEntry<Widget>).object.spec?.color);
    expect([page.count, colors.length, colors.slice(0, 5)]).toEqual([
      ...[32, 32],
      [undefined, 'red', 'red', 'red', undefined],
    ]);
    expect([pages.sizeAfter(500, false), pages.sizeAfter(9000, false)]).toEqual([1000, 10_000]);
  });

  it('grows as far as the store bears: keys further than values', async () => {
    const { context } = await known(0, []);
    const pages = new StorePages(context);
    expect([pages.sizeAfter(5000, false), pages.sizeAfter(6000, false), pages.sizeAfter(6000, true)]).toEqual([
      ...[50_000, 50_000, 10_000],
    ]);
  });

  it('grows tenfold within a list without a limit, and twofold with one', async () => {
    const { context, ranges } = await known(20, []);
    const storage = createObjectStorage(context, clock);
    const fits = await storage.list('', listOptions({ limit: 2, field: 'spec.color!=red' }));
    const none = await storage.list('', listOptions({ limit: 2, field: 'spec.color=red' }));
    expect([names(fits), names(none), ranges.mock.calls.map(([{ limit }]) => limit)]).toEqual([
      ['w00@2', 'w01@3'],
      [],
      [2, 2, 4, 8, 16],
    ]);
  });
});

describe('a resource of many pages', () => {
  it('is read by ten times as many keys after the first page', async () => {
    const { context, ranges } = await known(520, []);
    const list = await createObjectStorage(context, clock).list('', listOptions());
    expect([list.items.length, ranges.mock.calls.map(([{ limit, keysOnly }]) => [limit, keysOnly])]).toEqual([
      520,
      [
        [500, true],
        [5000, true],
      ],
    ]);
  });
});

it('looks for cached objects in slices of time', async () => {
  const { context } = await known(130, []);
  using _over = vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(true);
  using turns = vi.spyOn(TimeSlice.prototype, 'yield').mockResolvedValue();
  const page = await new StorePages(context).read({ ...range, limit: 200 });
  // One of them is the store's.
  expect([page.kvs.length, turns.mock.calls.length]).toEqual([130, 3]);
});
