import { eventLoopTurns, ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import type { KeyValueStore, WatchFreshness } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { create, listOptions } from '../testing/suites/storage-suite-fixture.js';
import { newWidgetCache } from '../testing/widget-cache.js';
import { noCacheMetrics } from './cache-metrics.js';
import { CacheState } from './cache-state.js';

let clock: ManualClock;
let inner: KeyValueStore;
let freshness: WatchFreshness;
/** Set: a watch is up to date when this resolves. */
let progress: Promise<void> | undefined;
let reads: number;
let readFails: boolean;

/** A store with other writers whose watches only report progress on request. */
const requested = (): KeyValueStore => ({
  get freshness() {
    return freshness;
  },
  get: (...parameters) => inner.get(...parameters),
  range: async (request) => {
    reads++;
    if (readFails) throw new KeyValueError('Unavailable', 'the store is away');
    return await inner.range(request);
  },
  watch: (request, sink) => {
    const watch = inner.watch(request, sink);
    return {
      get revision() {
        return watch.revision;
      },
      catchUp: () => progress,
      close: () => watch.close(),
    };
  },
  commit: (request) => inner.commit(request),
  currentRevision: () => inner.currentRevision(),
  compact: (revision) => inner.compact(revision),
  compactedRevision: () => inner.compactedRevision(),
  [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
});

beforeEach(() => {
  clock = new ManualClock();
  inner = createMemoryStore({ clock, compactionInterval: 0 });
  [freshness, progress, reads, readFails] = ['onRequest', undefined, 0, false];
});
afterEach(() => inner[Symbol.asyncDispose]());

/** A filled cache with one widget, and its counts of consistent reads. */
async function filledCache() {
  const counted: string[] = [];
  const waits: number[] = [];
  const metrics = {
    ...noCacheMetrics,
    waited: (seconds: number) => void waits.push(seconds),
    consistentRead: (success: boolean, fallback: boolean) => void counted.push(`${success} ${fallback}`),
  };
  const cache = newWidgetCache({ store: requested(), clock, metrics });
  await create(cache, 'ns/a');
  await cache.ready();
  reads = 0;
  return { cache, counted, waits };
}

type Cache = Awaited<ReturnType<typeof filledCache>>['cache'];

/** A list of the newest state; advances the clock while the cache is behind. */
async function newest(cache: Cache): Promise<number> {
  const list = cache.list('', listOptions({}));
  list.catch(() => {});
  await eventLoopTurns();
  clock.advance(3000);
  return (await list).items.length;
}

// Upstream: TestConsistentReadFallback
describe('a list of the newest state', () => {
  it('is served by a cache that learns that it is up to date', async () => {
    const { cache, counted } = await filledCache();
    await using _ = cache;
    progress = Promise.resolve();
    expect([await newest(cache), reads, counted]).toEqual([1, 0, ['true false']]);
  });

  it('is served by the store when the cache does not learn it within three seconds', async () => {
    const { cache, counted } = await filledCache();
    await using _ = cache;
    progress = new Promise(() => {});
    expect([await newest(cache), reads, counted]).toEqual([1, 1, ['true true']]);
  });

  it('measures how long it waits for the cache', async () => {
    const { cache, waits } = await filledCache();
    await using _ = cache;
    progress = new Promise(() => {});
    await newest(cache);
    expect(waits).toEqual([3]);
  });

  it('fails when neither can serve it, which is counted', async () => {
    const { cache, counted } = await filledCache();
    await using _ = cache;
    progress = new Promise(() => {});
    readFails = true;
    await expect(newest(cache)).rejects.toMatchObject({ storageErrorCode: 'Unavailable' });
    expect([reads, counted]).toEqual([1, ['false true']]);
  });

  it('is served by the store, and not counted, if watches cannot report progress', async () => {
    freshness = 'unknown';
    const { cache, counted } = await filledCache();
    await using _ = cache;
    expect([await newest(cache), reads > 0, counted]).toEqual([1, true, []]);
  });

  it.each([{ resourceVersion: '0' }, { resourceVersion: '1' }, { limit: 1, resourceVersion: '0' }])(
    'other lists: %j is not a consistent read',
    async (options) => {
      const { cache, counted } = await filledCache();
      await using _ = cache;
      progress = Promise.resolve();
      expect([(await cache.list('', listOptions(options))).items.length, counted]).toEqual([1, []]);
    },
  );
});

describe('a read of a version, if watches cannot report progress', () => {
  beforeEach(() => {
    freshness = 'unknown';
  });

  it.each<[string, (cache: Cache, resourceVersion: string) => Promise<unknown>]>([
    ['get', (cache, resourceVersion) => cache.get('ns/a', { resourceVersion })],
    ['list', (cache, resourceVersion) => cache.list('', listOptions({ resourceVersion }))],
    [
      'list of a page',
      (cache, resourceVersion) =>
        cache.list('', listOptions({ resourceVersion, limit: 1, match: 'NotOlderThan' as const })),
    ],
  ])('waits three seconds for one that the store has not reached: %s', async (_name, read) => {
    const { cache } = await filledCache();
    await using _ = cache;
    const reported = read(cache, '99').then(
      () => undefined,
      (error: { details?: { tooLarge?: unknown } }) => error.details?.tooLarge,
    );
    const isEarly = await Promise.race([reported.then(() => true), waited(2900).then(() => false)]);
    await waited(200);
    expect([isEarly, await reported]).toEqual([false, { minimum: 99, current: 2, retryAfterSeconds: 1 }]);
  });

  it('is served as soon as the version has arrived, and measures how long that took', async () => {
    const { cache, waits } = await filledCache();
    await using _ = cache;
    const list = cache.list('', listOptions({ resourceVersion: '3' }));
    await waited(100);
    await create(cache, 'ns/b');
    reads = 0;
    await waited(100);
    expect([(await list).items.length, reads, waits]).toEqual([2, 0, [expect.closeTo(0.12, 1)]]);
  });

  it('is served by the store at once if the store has the version, although the cache never gets it', async () => {
    const { cache, waits } = await filledCache();
    await using _ = cache;
    await inner.commit({ type: 'put', key: '/elsewhere', value: Buffer.from('x'), expectedRevision: 0 });
    using _behind = vi.spyOn(CacheState.prototype, 'revision', 'get').mockReturnValue(2);
    const list = await cache.list('', listOptions({ resourceVersion: '3' }));
    expect([list.items.length, list.resourceVersion, waits]).toEqual([1, '3', []]);
  });

  it('does not wait for an exact version', async () => {
    const { cache } = await filledCache();
    await using _ = cache;
    const list = cache.list('', listOptions({ resourceVersion: '99', match: 'Exact' }));
    await expect(list).rejects.toMatchObject({
      details: { tooLarge: { minimum: 99, current: 2, retryAfterSeconds: 0 } },
    });
  });
});

/** Runs pending work while the clock advances in steps. */
async function waited(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 20) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    clock.advance(20);
  }
}
