import { systemClock, TimeSlice } from '@apiserver/apimachinery/clock';
import { describe, expect, it, vi } from 'vitest';
import type { ChangedRequest, ChangedResult, KeyValueStore, RangeRequest } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { seededRandom } from '../testing/soak-share.js';
import { create, hasCode, listOptions, make, remove, setColor } from '../testing/suites/storage-suite-fixture.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetContext, WIDGETS } from '../testing/widget-cache.js';
import { readCurrentState } from './current-state.js';
import { listedEntry } from './entry-of.js';
import { createObjectStorage } from './object-storage.js';
import { type ResourceContext, type ResourceState, resourceRange } from './resource-context.js';

/** A memory store that reports changes like etcd, and records its requests. */
function sharedStore() {
  const inner = createMemoryStore({ clock: systemClock, compactionInterval: 0 });
  const requested: string[] = [];
  const store: KeyValueStore = {
    freshness: 'unknown',
    get: (key, options) => inner.get(key, options),
    range: (request) => {
      requested.push(request.keysOnly ? 'keys' : 'values');
      return inner.range(request);
    },
    rangeChanged: async ({ after, limit, ...range }: ChangedRequest): Promise<ChangedResult> => {
      const { kvs, revision } = await inner.range(range);
      const changed = kvs.filter(({ modRevision }) => modRevision > after);
      requested.push(`changed ${Math.min(changed.length, limit)} of ${kvs.length}`);
      return { kvs: changed.slice(0, limit), more: changed.length > limit, count: kvs.length, revision };
    },
    commit: (request) => inner.commit(request),
    watch: (request, sink) => inner.watch(request, sink),
    currentRevision: () => inner.currentRevision(),
    compact: (revision) => inner.compact(revision),
    compactedRevision: () => inner.compactedRevision(),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
  return { store, requested };
}

/** The stored objects below a prefix, as in a cache that is up to date. */
async function stateOf(context: ResourceContext<Widget>, prefix: string): Promise<ResourceState<Widget>> {
  const { kvs, revision } = await context.store.range(resourceRange(context, prefix));
  return { entries: await Promise.all(kvs.map((kv) => listedEntry(context, kv))), revision };
}

const plain = (state: ResourceState<Widget> | undefined) =>
  state && { revision: state.revision, entries: state.entries.map(({ key, revision }) => `${key}@${revision}`) };

/** Ten widgets, a state of them, and a function that reads the newest state from it. */
async function ten() {
  const { store, requested } = sharedStore();
  const context = newWidgetContext({ store });
  const storage = createObjectStorage(context, systemClock);
  for (let i = 0; i < 10; i++) await create(storage, `ns/w${i}`);
  const known = await stateOf(context, '');
  const read = async (bounds = { entries: 4, changes: 2 }) => {
    requested.length = 0;
    return await readCurrentState({ ...context, state: () => known }, '', bounds);
  };
  return { context, storage, known, requested, read };
}

describe('readCurrentState', () => {
  it.each<
    readonly [string, (storage: Awaited<ReturnType<typeof ten>>['storage']) => Promise<unknown>, readonly string[]]
  >([
    ['nothing', async () => {}, ['changed 0 of 4', 'changed 0 of 4', 'changed 0 of 2']],
    [
      'an update',
      (storage) => setColor(storage, 'ns/w5', 'red'),
      ['changed 0 of 4', 'changed 1 of 4', 'changed 0 of 2'],
    ],
    ['a creation', (storage) => create(storage, 'ns/w3a'), ['changed 1 of 5', 'changed 0 of 4', 'changed 0 of 2']],
    ['one before all', (storage) => create(storage, 'a/w'), ['changed 1 of 5', 'changed 0 of 4', 'changed 0 of 2']],
    ['one behind all', (storage) => create(storage, 'z/w'), ['changed 0 of 4', 'changed 0 of 4', 'changed 1 of 3']],
    [
      'a deletion',
      (storage) => remove(storage, 'ns/w5'),
      ['changed 0 of 4', 'changed 0 of 3', 'values', 'changed 0 of 2'],
    ],
    [
      'a deletion and a creation in one piece',
      (storage) => remove(storage, 'ns/w5').then(() => create(storage, 'ns/w6a')),
      ['changed 0 of 4', 'changed 1 of 4', 'values', 'changed 0 of 2'],
    ],
    [
      'one that is not what it was',
      (storage) => remove(storage, 'ns/w5').then(() => create(storage, 'ns/w5')),
      ['changed 0 of 4', 'changed 1 of 4', 'changed 0 of 2'],
    ],
    [
      'more than is worth it',
      (storage) => Promise.all([4, 5, 6].map((i) => setColor(storage, `ns/w${i}`, 'red'))),
      ['changed 0 of 4', 'changed 2 of 4', 'values', 'changed 0 of 2'],
    ],
  ])('takes up %s', async (_, change, expected) => {
    const { context, storage, requested, read } = await ten();
    await change(storage);
    const state = await read();
    expect(requested).toEqual(expected);
    expect(plain(state)).toEqual(plain(await stateOf(context, '')));
    for (const entry of state?.entries ?? []) {
      expect(entry.object).toMatchObject({ metadata: { namespace: entry.namespace } });
    }
  });

  it('reads what has changed too much in the pages that the store returns', async () => {
    const { store, requested } = sharedStore();
    const context = newWidgetContext({ store });
    const storage = createObjectStorage(context, systemClock);
    for (let i = 0; i < 10; i++) await create(storage, `ns/w${i}`);
    const { range } = store;
    const paged = { ...store, range: (request: RangeRequest) => range({ ...request, limit: 3 }) };
    const known = { entries: [], revision: 1 };
    const state = await readCurrentState({ ...context, store: paged, state: () => known }, '', {
      entries: 4,
      changes: 2,
    });
    expect(requested.filter((one) => one === 'values').length).toBe(4);
    expect(plain(state)).toEqual(plain(await stateOf(context, '')));
  });

  it('is undefined for a store that is older than the known state', async () => {
    const { known, context } = await ten();
    const later = { ...known, revision: known.revision + 5 };
    expect(await readCurrentState({ ...context, state: () => later }, '')).toBeUndefined();
    expect(await readCurrentState({ ...context, state: () => undefined }, '')).toBeUndefined();
    expect(await readCurrentState(context, '')).toBeUndefined();
  });

  it('handles an empty known state, and part of one', async () => {
    const { context } = await ten();
    const known = { entries: [], revision: 1 };
    const expected = plain(await stateOf(context, 'ns/'));
    expect(plain(await readCurrentState({ ...context, state: () => known }, 'ns/'))).toEqual(expected);
    expect(
      plain(await readCurrentState({ ...context, state: () => known }, 'ns/', { entries: 1, changes: 1 })),
    ).toEqual(expected);
    expect((await readCurrentState({ ...context, state: () => known }, 'other/'))?.entries).toEqual([]);
  });

  it.each([1, 2, 3, 4])('equals the store after random changes, seed %d', async (seed) => {
    const random = seededRandom(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const { store } = sharedStore();
    const context = newWidgetContext({ store });
    const keys = Array.from({ length: 30 }, (_, i) => `${WIDGETS}ns/w${String(i).padStart(2, '0')}`);
    const revisions = new Map<string, number>();
    const change = async () => {
      const key = keys[below(keys.length)] ?? '';
      const expectedRevision = revisions.get(key) ?? 0;
      const isDeleted = expectedRevision > 0 && random() < 0.4;
      const value = Buffer.from(JSON.stringify(make(key.slice(WIDGETS.length))));
      const request = isDeleted
        ? ({ type: 'delete', key, expectedRevision } as const)
        : ({ type: 'put', key, value, expectedRevision } as const);
      const { revision } = await store.commit(request);
      revisions.set(key, isDeleted ? 0 : revision);
    };
    for (let round = 0; round < 60; round++) {
      for (let i = below(12); i > 0; i--) await change();
      const known = await stateOf(context, '');
      for (let i = below(6); i > 0; i--) await change();
      const bounds = { entries: 1 + below(8), changes: 1 + below(4) };
      const state = await readCurrentState({ ...context, state: () => known }, '', bounds);
      expect([plain(state), bounds]).toEqual([plain(await stateOf(context, '')), bounds]);
    }
  });
});

it('reads all pieces at the revision of the first', async () => {
  const { context, storage, known, read } = await ten();
  const ask = context.store.rangeChanged?.bind(context.store);
  if (ask === undefined) throw new Error('the store reports no changes');
  const revisions: (number | undefined)[] = [];
  const rangeChanged = async (request: ChangedRequest) => {
    revisions.push(request.revision);
    const changed = await ask(request);
    // Not before the next piece is read.
    if (revisions.length === 1) await setColor(storage, 'ns/w9', 'red');
    return changed;
  };
  const store = { ...context.store, rangeChanged };
  const bounds = { entries: 4, changes: 2 };
  const state = await readCurrentState({ ...context, store, state: () => known }, '', bounds);
  expect([revisions, plain(state)]).toEqual([[undefined, 11, 11], plain(known)]);
  expect((await read())?.revision).toBe(12);
});

describe('a list from a state that is known', () => {
  it.each([
    ['11', 'NotOlderThan', 10],
    ['5', 'NotOlderThan', 10],
    ['12', 'NotOlderThan', 'TooLargeResourceVersion'],
  ] as const)('at version %s, %s: %s', async (resourceVersion, match, expected) => {
    const { context, known, requested } = await ten();
    const counts: unknown[] = [];
    const metrics = {
      requested: () => {},
      eventReceived: () => {},
      progressReceived: () => {},
      undecodable: () => {},
      listed: (...numbers: number[]) => void counts.push(numbers),
    };
    const storage = createObjectStorage({ ...context, metrics, state: () => known }, systemClock);
    requested.length = 0;
    const list = storage.list('', listOptions({ resourceVersion, match }));
    if (typeof expected === 'string') await expect(list).rejects.toEqual(hasCode(expected));
    else {
      expect([(await list).items.length, (await list).resourceVersion, counts]).toEqual([10, '11', [[10, 10, 10]]]);
      expect(requested).toEqual(['changed 0 of 10']);
    }
  });

  it('has what is selected, and gives others a turn', async () => {
    const { context, storage: plainly } = await ten();
    for (let i = 0; i < 10; i++) await setColor(plainly, `ns/w${i}`, i % 2 === 0 ? 'red' : 'blue');
    const state = await stateOf(context, '');
    const storage = createObjectStorage({ ...context, state: () => state }, systemClock);
    using _over = vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(true);
    using turns = vi.spyOn(TimeSlice.prototype, 'yield').mockResolvedValue();
    const list = await storage.list('', listOptions({ field: 'spec.color=red' }));
    expect(list.items.map((item) => item.object.metadata.name)).toEqual(['w0', 'w2', 'w4', 'w6', 'w8']);
    expect(turns).toHaveBeenCalledTimes(1);
  });
});
