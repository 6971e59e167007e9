import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { create, hasCode, listOptions, names } from '../testing/suites/storage-suite-fixture.js';
import { newWidgetContext, WIDGETS } from '../testing/widget-cache.js';
import { listedEntry } from './entry-of.js';
import { createObjectStorage } from './object-storage.js';
import { resourceRange } from './resource-context.js';
import type { StoreMetrics } from './store-metrics.js';
import type { Transformer } from './transformer.js';

let store: KeyValueStore;
let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
  store = createMemoryStore({ clock, compactionInterval: 0 });
});
afterEach(() => store[Symbol.asyncDispose]());

/** Storage without a cache; what its lists request from the store, and what they report to the metrics. */
function observed() {
  const counts: (readonly [fetched: number, evaluated: number, returned: number])[] = [];
  const metrics: StoreMetrics = {
    requested: () => {},
    eventReceived: () => {},
    progressReceived: () => {},
    undecodable: () => {},
    listed: (...numbers) => void counts.push(numbers),
  };
  const range = vi.spyOn(store, 'range');
  const requests = () => range.mock.calls.map(([request]) => request);
  const context = { ...newWidgetContext({ store }), metrics };
  return { context, storage: createObjectStorage(context, clock), requests, counts };
}

const plain = () => createObjectStorage(newWidgetContext({ store }), clock);

async function fill(count: number): Promise<void> {
  const storage = plain();
  for (let i = 0; i < count; i++) {
    const color = i % 2 === 0 ? 'red' : 'blue';
    await create(storage, `ns/w${String(i).padStart(4, '0')}`, { labels: { color }, spec: { color } });
  }
}

const hasNoObjects = (revision: string) => ({ items: [], resourceVersion: revision });

describe('a list of one name', () => {
  it.each([
    ['', ['w0001@3'], [1, 1, 1]],
    ['color=blue', ['w0001@3'], [1, 1, 1]],
    ['color=red', [], [1, 1, 0]],
  ] as const)('has the object only if the labels match "%s" too', async (label, found, counted) => {
    await fill(3);
    const { storage, requests, counts } = observed();
    const list = await storage.list('ns/', listOptions({ label, field: 'metadata.name=w0001' }));
    expect([names(list), list.resourceVersion, counts, requests()]).toEqual([found, '4', [counted], []]);
  });

  it.each([
    ['spec.color=blue', ['w0001@3']],
    ['spec.color=red', []],
    ['metadata.namespace=other', []],
  ])('has the object only if %s holds', async (field, found) => {
    await fill(3);
    const list = await observed().storage.list('ns/', listOptions({ field: `metadata.name=w0001,${field}` }));
    expect(names(list)).toEqual(found);
  });

  it('is empty without the object', async () => {
    await fill(1);
    const { storage, counts } = observed();
    expect(await storage.list('ns/', listOptions({ field: 'metadata.name=none' }))).toEqual(hasNoObjects('2'));
    expect(counts).toEqual([[0, 0, 0]]);
  });

  it('is of the requested version', async () => {
    await fill(2);
    const { storage } = observed();
    const at = (resourceVersion: string, match: 'Exact' | 'NotOlderThan') =>
      storage.list('ns/', listOptions({ field: 'metadata.name=w0001', resourceVersion, match }));
    expect([names(await at('3', 'Exact')), await at('2', 'Exact')]).toEqual([['w0001@3'], hasNoObjects('2')]);
    expect(names(await at('3', 'NotOlderThan'))).toEqual(['w0001@3']);
    for (const match of ['Exact', 'NotOlderThan'] as const) {
      await expect(at('4', match)).rejects.toEqual(hasCode('TooLargeResourceVersion'));
    }
  });

  it('may be of several namespaces: then all are read', async () => {
    await fill(2);
    await create(plain(), 'other/w0001', { labels: { color: 'blue' } });
    const { storage, requests } = observed();
    const list = await storage.list('', listOptions({ field: 'metadata.name=w0001' }));
    expect([names(list), requests().length]).toEqual([['w0001@3', 'w0001@4'], 1]);
  });
});

describe('a list without a limit', () => {
  it('reads growing pages at the revision of the first, each of which begins after the last key', async () => {
    await fill(1600);
    const { storage, requests, counts } = observed();
    const list = await storage.list('ns/', listOptions());
    const end = `${WIDGETS}ns0`;
    const startAfter = (last: number) => `${WIDGETS}ns/w${String(last).padStart(4, '0')}\0`;
    expect(requests()).toEqual([
      { start: `${WIDGETS}ns/`, end, limit: 500, count: false },
      { start: startAfter(499), end, limit: 1000, count: false, revision: 1601 },
      { start: startAfter(1499), end, limit: 2000, count: false, revision: 1601 },
    ]);
    expect([list.items.length, list.resourceVersion, list.continue, list.remainingItemCount, counts]).toEqual([
      1600,
      '1601',
      undefined,
      undefined,
      [[1600, 1600, 1600]],
    ]);
  });
});

it('without a limit requests the next page before it reads the objects of this one', async () => {
  await fill(501);
  const range = vi.spyOn(store, 'range');
  const requested = new Set<number>();
  const transformer: Transformer = {
    constant: true,
    fromStorage: (bytes) => {
      requested.add(range.mock.calls.length);
      return { bytes, stale: false };
    },
    toStorage: (bytes) => bytes,
  };
  const storage = createObjectStorage(newWidgetContext({ store, transformer }), clock);
  expect((await storage.list('ns/', listOptions())).items.length).toBe(501);
  expect([...requested]).toEqual([2]);
  requested.clear();
  // With a limit the next page may not be needed.
  range.mockClear();
  await storage.list('ns/', listOptions({ limit: 2, field: 'spec.color=blue' }));
  expect([...requested]).toEqual([1, 2]);
});

describe('a page', () => {
  it('knows how many objects follow it, from the store', async () => {
    await fill(7);
    const { storage, requests, counts } = observed();
    const first = await storage.list('ns/', listOptions({ limit: 3 }));
    const second = await storage.list('ns/', listOptions({ limit: 3, continue: first.continue ?? '' }));
    const third = await storage.list('ns/', listOptions({ limit: 3, continue: second.continue ?? '' }));
    const pages = [first, second, third];
    expect(pages.map((page) => [page.items.length, page.remainingItemCount, page.continue === undefined])).toEqual([
      [3, 4, false],
      [3, 1, false],
      [1, undefined, true],
    ]);
    expect(requests().map(({ limit, count }) => [limit, count])).toEqual([
      [3, true],
      [3, true],
      [3, true],
    ]);
    expect(counts).toEqual([
      [3, 3, 3],
      [3, 3, 3],
      [1, 1, 1],
    ]);
  });

  it('with a selector does not know it, and reads until it is full', async () => {
    await fill(10);
    const { storage, requests, counts } = observed();
    const list = await storage.list('ns/', listOptions({ limit: 2, field: 'spec.color=blue' }));
    expect(names(list)).toEqual(['w0001@3', 'w0003@5']);
    // The second page of four ends after its second object.
    expect([requests().map(({ limit, count }) => [limit, count]), counts, list.remainingItemCount]).toEqual([
      [
        [2, false],
        [4, false],
      ],
      [[6, 4, 2]],
      undefined,
    ]);
    const rest = await storage.list(
      'ns/',
      listOptions({ limit: 9, field: 'spec.color=blue', continue: list.continue ?? '' }),
    );
    expect(names(rest)).toEqual(['w0005@7', 'w0007@9', 'w0009@11']);
  });

  it('has a next one if its last page of the store has more objects than fit', async () => {
    await fill(3);
    const { storage, requests } = observed();
    const selected = (more: object) =>
      storage.list('ns/', listOptions({ limit: 1, field: 'spec.color=blue', ...more }));
    const first = await selected({});
    expect([names(first), requests().length, first.continue === undefined]).toEqual([['w0001@3'], 2, false]);
    const rest = await selected({ continue: first.continue ?? '' });
    expect([rest.items, rest.continue]).toEqual([[], undefined]);
  });

  it('that ends with the last object has no next one', async () => {
    await fill(4);
    const { storage } = observed();
    const whole = await storage.list('ns/', listOptions({ limit: 4 }));
    expect([whole.items.length, whole.continue, whole.remainingItemCount]).toEqual([4, undefined, undefined]);
  });

  it('has at most ten thousand objects', async () => {
    const { storage, requests } = observed();
    await storage.list('ns/', listOptions({ limit: 10_001 }));
    expect(requests().map(({ limit }) => limit)).toEqual([10_000]);
  });
});

describe('a list by the changes since a known state', () => {
  it.each([
    [{}, ['w0000@2', 'w0001@3', 'w0002@4'], [3, 3, 3]],
    [{ label: 'color=red' }, ['w0000@2', 'w0002@4'], [3, 3, 2]],
    [{ field: 'spec.color=blue' }, ['w0001@3'], [3, 3, 1]],
  ] as const)('has what %j selects', async (options, found, counted) => {
    await fill(3);
    const { context, counts } = observed();
    const { kvs, revision } = await store.range(resourceRange(context, ''));
    const entries = await Promise.all(kvs.map((kv) => listedEntry(context, kv)));
    store.rangeChanged = async () => ({ kvs: [], more: false, count: 3, revision });
    const storage = createObjectStorage({ ...context, state: () => ({ entries, revision }) }, clock);
    const list = await storage.list('', listOptions(options));
    expect([names(list), list.resourceVersion, counts]).toEqual([found, '4', [counted]]);
    const later = storage.list('', listOptions({ ...options, resourceVersion: '5', match: 'NotOlderThan' }));
    await expect(later).rejects.toEqual(hasCode('TooLargeResourceVersion'));
  });

  it.each([
    [{ limit: 2 }, ['w0000@2', 'w0001@3']],
    [{ resourceVersion: '3', match: 'Exact' }, ['w0000@2', 'w0001@3']],
  ] as const)('is no list with %j', async (options, found) => {
    await fill(3);
    const { context } = observed();
    const changed = vi.fn(async () => ({ kvs: [], more: false, count: 0, revision: 4 }));
    store.rangeChanged = changed;
    const storage = createObjectStorage({ ...context, state: () => ({ entries: [], revision: 4 }) }, clock);
    expect(names(await storage.list('', listOptions(options)))).toEqual(found);
    expect(changed).not.toHaveBeenCalled();
  });
});

describe('a list of a version', () => {
  it('that the store has not reached names the resource', async () => {
    const { storage } = observed();
    for (const match of ['Exact', 'NotOlderThan'] as const) {
      await expect(storage.list('ns/', listOptions({ resourceVersion: '5', match, limit: 1 }))).rejects.toEqual(
        hasCode('TooLargeResourceVersion'),
      );
    }
  });

  it('that is compacted has no token; a page has one that continues in the present', async () => {
    await fill(4);
    const { storage } = observed();
    const { continue: token = '' } = await storage.list('ns/', listOptions({ limit: 2 }));
    await create(storage, 'ns/w0009');
    await store.compact(6);
    const exact = storage.list('ns/', listOptions({ resourceVersion: '3', match: 'Exact' }));
    await expect(exact).rejects.toMatchObject({
      storageErrorCode: 'Expired',
      details: { message: 'The resourceVersion for the provided list is too old.' },
    });
    const expired = await storage
      .list('ns/', listOptions({ limit: 2, continue: token }))
      .catch((error: { details: { message: string; continueToken: string } }) => error);
    const { message, continueToken } = 'details' in expired ? expired.details : { message: '', continueToken: '' };
    expect(message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result\. You can/,
    );
    const rest = await storage.list('ns/', listOptions({ limit: 2, continue: continueToken }));
    expect([names(rest), rest.resourceVersion, rest.remainingItemCount]).toEqual([['w0002@4', 'w0003@5'], '6', 1]);
  });
});
