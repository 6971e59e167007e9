import { TimeSlice } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KeyValueStore, prefixEnd, type RangeRequest } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache, newWidgetContext, WIDGETS } from '../testing/widget-cache.js';
import { isConsistent } from './cache-consistency.js';
import type { EntriesAt } from './cache-state.js';
import { readAll } from './read-all.js';

let store: KeyValueStore;
const clock = new ManualClock();
beforeEach(() => {
  store = createMemoryStore({ clock, compactionInterval: 0 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store[Symbol.asyncDispose]();
});

async function fill(count: number): Promise<void> {
  await using cache = newWidgetCache({ store, clock });
  for (let i = 0; i < count; i++) {
    const name = `w${i}`;
    await cache.create(`ns/${name}`, widget({ name, namespace: 'ns', uid: name }));
  }
}

/** Writes a value past the cache, over one of this revision. */
async function put(key: string, value = '{}', expectedRevision = 0): Promise<void> {
  const { committed } = await store.commit({
    type: 'put',
    key: `${WIDGETS}${key}`,
    value: Buffer.from(value),
    expectedRevision,
  });
  expect(committed).toBe(true);
}

/** The entries as a cache would hold them now. */
async function cached(): Promise<EntriesAt<Widget>> {
  const entries: EntriesAt<Widget>['entries'][number][] = [];
  const revision = await readAll(newWidgetContext({ store }), {
    allocate: (length) => Buffer.alloc(length),
    take: (entry) => void entries.push(entry),
  });
  return { entries, revision };
}

/** The store with another `range`. */
function withRange(range: KeyValueStore['range']): KeyValueStore {
  return new Proxy(store, { get: (of, name) => (name === 'range' ? range : Reflect.get(of, name)) });
}

describe('isConsistent', () => {
  it('accepts the entries of the present, and of their revision', async () => {
    await fill(3);
    const before = await cached();
    expect(await isConsistent(newWidgetContext({ store }), before)).toBe(true);
    await put('ns/other');
    expect(await isConsistent(newWidgetContext({ store }), before)).toBe(true);
  });

  it.each<[string, (at: EntriesAt<Widget>) => EntriesAt<Widget>]>([
    ['a missing entry', ({ entries, revision }) => ({ entries: entries.slice(1), revision })],
    ['a missing last entry', ({ entries, revision }) => ({ entries: entries.slice(0, -1), revision })],
    ['a surplus entry', ({ entries, revision }) => ({ entries: entries.concat(entries.slice(-1)), revision })],
    ['no entries', ({ revision }) => ({ entries: [], revision })],
    ['another order', ({ entries, revision }) => ({ entries: entries.toReversed(), revision })],
  ])('refuses %s', async (_what, change) => {
    await fill(3);
    expect(await isConsistent(newWidgetContext({ store }), change(await cached()))).toBe(false);
  });

  it('refuses an entry of another revision, or of another key', async () => {
    await fill(2);
    const before = await cached();
    await put(
      'ns/w1',
      JSON.stringify(widget({ name: 'w1', namespace: 'ns', uid: 'other' })),
      before.entries[1]?.revision,
    );
    const after = await cached();
    const context = newWidgetContext({ store });
    expect(await isConsistent(context, { entries: before.entries, revision: after.revision })).toBe(false);
    const [first, second] = after.entries;
    if (first === undefined || second === undefined) throw new Error('two entries expected');
    const renamed = { ...after, entries: [first, Object.assign(Object.create(second), { key: 'ns/w2' })] };
    expect(await isConsistent(context, renamed)).toBe(false);
  });

  it('reads later pages at the revision of the first', async () => {
    await fill(5);
    const requests: RangeRequest[] = [];
    const small = withRange((request) => {
      requests.push(request);
      return store.range({ ...request, limit: 2 });
    });
    const at = await cached();
    expect(await isConsistent(newWidgetContext({ store: small }), at)).toBe(true);
    expect(requests.map(({ start, revision, keysOnly }) => [start.slice(WIDGETS.length), revision, keysOnly])).toEqual([
      ['', undefined, true],
      ['ns/w1\0', at.revision, true],
      ['ns/w3\0', at.revision, true],
    ]);
  });

  it('yields to the event loop once in 64 entries, and only if it has blocked it for long', async () => {
    await fill(130);
    const at = await cached();
    const page = await store.range({ start: WIDGETS, end: prefixEnd(WIDGETS), keysOnly: true });
    const context = newWidgetContext({ store: withRange(async () => page) });
    const yields = vi.spyOn(TimeSlice.prototype, 'yield');
    const over = vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(false);
    expect([await isConsistent(context, at), yields.mock.calls.length]).toEqual([true, 0]);
    over.mockReturnValue(true);
    expect([await isConsistent(context, at), yields.mock.calls.length]).toEqual([true, 2]);
  });
});
