import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  runSliced,
  type SlicedWork,
  SliceFlow,
  SliceShare,
  sliceTurn,
  systemClock,
} from '@apiserver/apimachinery/clock';
import { isTooManyRequests } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector, parseFieldSelector } from '@apiserver/apimachinery/selectors';
import { eventLoopTurns, ManualClock } from '@apiserver/apimachinery/testing';
import type { Storage } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import type { KeyValueSink, KeyValueStore, KeyValueWatch } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { WatchRecorder } from '../testing/watch-recorder.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache } from '../testing/widget-cache.js';
import { CacheReadiness } from './cache-readiness.js';

const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector, allowBookmarks: false };
let clock: ManualClock;
let store: FailingStore;

/** A memory store that can fail or delay reads, and whose watches can be broken. */
class FailingStore {
  readonly store: KeyValueStore;
  reading: () => Promise<void> = async () => {};
  /** Runs before it returns its compacted revision. */
  compactedRevision: () => Promise<void> = async () => {};
  /** If set, its watches catch up when this resolves. */
  behind: Promise<void> | undefined;
  readonly #watches = new Map<KeyValueSink, KeyValueWatch>();
  reads = 0;

  constructor(inner: KeyValueStore) {
    this.store = {
      get: (...parameters) => inner.get(...parameters),
      commit: (request) => inner.commit(request),
      currentRevision: () => inner.currentRevision(),
      compact: (revision) => inner.compact(revision),
      compactedRevision: async () => {
        await this.compactedRevision();
        return await inner.compactedRevision();
      },
      range: async (request) => {
        this.reads++;
        await this.reading();
        return await inner.range(request);
      },
      watch: (request, sink) => {
        const watch = inner.watch(request, sink);
        this.#watches.set(sink, watch);
        return {
          get revision() {
            return watch.revision;
          },
          catchUp: () => this.behind ?? watch.catchUp(),
          close: () => watch.close(),
        };
      },
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }

  breakWatches(): void {
    for (const [sink, watch] of this.#watches) {
      watch.close();
      sink.end(new KeyValueError('Unavailable', 'the stream broke'));
    }
    this.#watches.clear();
  }
}

beforeEach(() => {
  clock = new ManualClock();
  store = new FailingStore(createMemoryStore({ clock, compactionInterval: 0 }));
});
afterEach(() => store.store[Symbol.asyncDispose]());

const newCache = () => newWidgetCache({ store: store.store, clock });
const make = (name: string) => widget({ name, namespace: 'ns', uid: name }, {});
const tooEarly = (retryAfterSeconds: number) => ({
  status: { code: 429, message: 'storage is (re)initializing', details: { retryAfterSeconds } },
});

describe('an unfilled cache', () => {
  it('reads from the store where possible, and rejects other requests for a while', async () => {
    const gate = Promise.withResolvers<void>();
    await using cache = newCache();
    await newCache().create('ns/a', make('a'));
    store.reading = () => gate.promise;
    const early = cache.list('', everything);
    await eventLoopTurns();
    clock.advance(1000);
    await expect(early).rejects.toMatchObject(tooEarly(1));
    clock.advance(29_000);
    const late = cache.watch('', everything);
    const read = cache.get('ns/a', {});
    await eventLoopTurns();
    clock.advance(1000);
    // e^(0.06 · 31)
    await expect(late).rejects.toMatchObject(tooEarly(6));
    expect((await read).resourceVersion).toBe('2');
    gate.resolve();
    await eventLoopTurns();
    expect((await cache.list('', everything)).items).toHaveLength(1);
  });

  it('lets pages without a selector read the store, and nothing else', async () => {
    await using cache = newCache();
    await newCache().create('ns/a', make('a'));
    let failures = 1;
    store.reading = async () => {
      if (failures-- > 0) throw new KeyValueError('Unavailable', 'no');
    };
    await expect(cache.list('', everything)).rejects.toSatisfy(isTooManyRequests);
    expect((await cache.list('', { ...everything, limit: 5 })).items).toHaveLength(1);
    const ofRed = { ...everything, limit: 5, fieldSelector: parseFieldSelector('spec.color=red') };
    await expect(cache.list('', ofRed)).rejects.toSatisfy(isTooManyRequests);
    await expect(cache.list('', everything)).rejects.toSatisfy(isTooManyRequests);
  });

  it('is filled on the first use, within the time that its client would wait', async () => {
    const gate = Promise.withResolvers<void>();
    await using cache = newCache();
    store.reading = () => gate.promise;
    const lists = [cache.list('', everything), cache.list('', everything)];
    await eventLoopTurns();
    clock.advance(900);
    gate.resolve();
    expect((await Promise.all(lists)).map(({ resourceVersion }) => resourceVersion)).toEqual(['1', '1']);
    expect(store.reads).toBe(1);
  });

  it('keeps nothing at the signal of a caller that waited for it', async () => {
    await using cache = newCache();
    const { signal } = new AbortController();
    await cache.ready(signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('retries every second until it is filled', async () => {
    await using cache = newCache();
    let failures = 3;
    store.reading = async () => {
      if (failures-- > 0) throw new KeyValueError('Unavailable', 'no');
    };
    await expect(cache.ready()).rejects.toMatchObject({ storageErrorCode: 'Unavailable' });
    for (let second = 1; second <= 3; second++) {
      clock.advance(1000);
      await eventLoopTurns();
    }
    expect(store.reads).toBe(4);
    expect((await cache.list('', everything)).items).toEqual([]);
    expect(store.reads).toBe(4);
  });

  it('suggests a retry delay by its age, up to half a minute', async () => {
    await using cache = newCache();
    store.reading = () => Promise.reject(new KeyValueError('Unavailable', 'no'));
    await cache.ready().catch(() => {});
    clock.advance(600_000);
    await eventLoopTurns();
    await expect(cache.list('', everything)).rejects.toMatchObject(tooEarly(30));
  });
});

describe('the readiness of a cache', () => {
  it('is denied to requests between a failure and the next attempt, without a wait', async () => {
    let fills = 0;
    const away = new KeyValueError('Unavailable', 'no');
    using readiness = new CacheReadiness({
      clock,
      fill: () => (++fills === 1 ? Promise.reject(away) : eventLoopTurns()),
    });
    expect([readiness.ready, readiness.failure, await readiness.inTime(), fills]).toEqual([false, undefined, false, 1]);
    expect([await readiness.inTime(), readiness.failure, fills]).toEqual([false, away, 1]);
    clock.advance(999);
    expect([await readiness.inTime(), fills]).toEqual([false, 1]);
    clock.advance(1);
    await readiness.filled();
    expect([readiness.ready, readiness.failure, fills]).toEqual([true, undefined, 2]);
  });

  it('is awaited for a second by requests, each of its own', async () => {
    const gate = Promise.withResolvers<void>();
    using readiness = new CacheReadiness({ clock, fill: () => gate.promise });
    const first = readiness.inTime();
    clock.advance(600);
    const second = readiness.inTime();
    clock.advance(400);
    const reported = [await first, readiness.ready];
    gate.resolve();
    expect([...reported, await second, readiness.ready]).toEqual([false, false, true, true]);
  });

  it('is tried at once for a client that waits, and then no more', async () => {
    let fills = 0;
    using readiness = new CacheReadiness({
      ...{ clock, fill: () => (++fills === 1 ? Promise.reject(new Error('no')) : eventLoopTurns()) },
    });
    await expect(readiness.filled()).rejects.toThrow('no');
    await readiness.filled();
    await readiness.filled();
    clock.advance(10_000);
    expect([readiness.ready, fills]).toEqual([true, 2]);
  });

  it('ends with the server', async () => {
    let fills = 0;
    const gate = Promise.withResolvers<void>();
    const readiness = new CacheReadiness({
      clock,
      fill: () => {
        fills++;
        return gate.promise;
      },
    });
    const early = readiness.inTime();
    readiness[Symbol.dispose]();
    gate.resolve();
    await readiness.settled();
    expect([await early, readiness.ready, await readiness.inTime()]).toEqual([true, false, false]);
    await expect(readiness.filled()).rejects.toMatchObject(tooEarly(1));
    readiness.lost();
    clock.advance(10_000);
    expect(fills).toBe(1);
  });

  it('is not tried again after a failure at the end', async () => {
    let fills = 0;
    const readiness = new CacheReadiness({ clock, fill: () => Promise.reject(new Error(`no ${++fills}`)) });
    await expect(readiness.filled()).rejects.toThrow('no 1');
    readiness[Symbol.dispose]();
    clock.advance(10_000);
    await eventLoopTurns();
    const late = new CacheReadiness({ clock, fill: () => Promise.reject(new Error(`no ${++fills}`)) });
    const failing = late.filled();
    late[Symbol.dispose]();
    await expect(failing).rejects.toThrow('no 2');
    clock.advance(10_000);
    expect(fills).toBe(2);
  });

  it('is awaited until the client leaves', async () => {
    const gate = Promise.withResolvers<void>();
    using readiness = new CacheReadiness({ clock, fill: () => gate.promise });
    const client = new AbortController();
    const waiting = readiness.filled(client.signal);
    client.abort(new Error('the client left'));
    await expect(waiting).rejects.toThrow('the client left');
    await expect(readiness.filled(client.signal)).rejects.toThrow('the client left');
    gate.resolve();
    await readiness.filled(new AbortController().signal);
    expect(readiness.ready).toBe(true);
  });
});

it('fills and follows a cache as work of no request', async () => {
  const slices: number[] = [];
  const first: SlicedWork = {
    flow: new SliceFlow(new SliceShare({ weight: 1 })),
    order: 0,
    charge: (milliseconds) => void slices.push(milliseconds),
  };
  const readiness = new CacheReadiness({ clock: new ManualClock(), fill: sliceTurn });
  await runSliced(first, () => readiness.filled());
  await sliceTurn();
  expect(slices).toEqual([]);
});

describe('a cache whose watch on the store broke', () => {
  it('ends its watches, refills at once, and a returning client misses and repeats nothing', async () => {
    await using cache = newCache();
    await cache.create('ns/a', make('a'));
    const first = new WatchRecorder(await cache.watch('', { ...everything, resourceVersion: '1' }));
    expect(await first.have(1)).toEqual(['ADDED ns/a@2']);
    store.breakWatches();
    await newCache().create('ns/b', make('b'));
    await first.ended();
    await eventLoopTurns();
    expect(store.reads).toBe(2);
    const second = new WatchRecorder(await cache.watch('', { ...everything, resourceVersion: '2' }));
    await cache.create('ns/c', make('c'));
    expect(await second.have(2)).toEqual(['ADDED ns/b@3', 'ADDED ns/c@4']);
    expect((await cache.list('', everything)).items.map(({ resourceVersion }) => resourceVersion)).toEqual([
      '2',
      '3',
      '4',
    ]);
  });

  it('refills if the watch breaks during a fill', async () => {
    await using cache = newCache();
    let broken = false;
    store.reading = async () => {
      if (store.reads !== 2 || broken) return;
      broken = true;
      queueMicrotask(() => store.breakWatches());
    };
    await cache.ready();
    store.breakWatches();
    await eventLoopTurns();
    clock.advance(1000);
    await eventLoopTurns();
    await cache.create('ns/a', make('a'));
    expect((await cache.list('', everything)).items).toHaveLength(1);
  });

  it.each<[string, (cache: Storage<Widget>) => Promise<unknown>, unknown]>([
    [
      'the initial events of a watch',
      async (cache) => {
        const initial = { ...everything, sendInitialEvents: true, allowBookmarks: true };
        return await new WatchRecorder(await cache.watch('', initial)).have(1);
      },
      tooEarly(1),
    ],
    ['a list', async (cache) => (await cache.list('', everything)).items.length, tooEarly(1)],
    ['an object', async (cache) => (await cache.get('ns/a', {})).resourceVersion, '2'],
  ])('never takes what is being filled for all there is: %s', async (_, read, expected) => {
    await using cache = newCache();
    await cache.create('ns/a', make('a'));
    await cache.ready();
    const gate = Promise.withResolvers<void>();
    const caughtUp = Promise.withResolvers<void>();
    store.behind = caughtUp.promise;
    const waiting = read(cache).catch((error: unknown) => error);
    await eventLoopTurns();
    store.reading = () => gate.promise;
    // Like a watch on etcd: waiters are released, then it ends.
    caughtUp.resolve();
    store.behind = undefined;
    store.breakWatches();
    const response = await waiting;
    gate.resolve();
    if (typeof expected === 'string') expect(response).toBe(expected);
    else expect(response).toMatchObject(expected as object);
    expect((await cache.list('', everything)).items).toHaveLength(1);
  });

  it('serves no list at a version from stale content during a refill', async () => {
    await using cache = newCache();
    for (const name of ['a', 'b']) await cache.create(`ns/${name}`, make(name));
    await cache.ready();
    const gate = Promise.withResolvers<void>();
    store.compactedRevision = async () => {
      store.reading = () => gate.promise;
      store.breakWatches();
      await eventLoopTurns();
    };
    const exact = { ...everything, resourceVersion: '3', match: 'Exact' } as const;
    await expect(cache.list('', exact)).rejects.toMatchObject(tooEarly(1));
    store.compactedRevision = async () => {};
    gate.resolve();
    await eventLoopTurns();
    expect((await cache.list('', exact)).items).toHaveLength(2);
  });

  it('drops the index of the old content, whenever the feed broke', async () => {
    const red = { ...everything, fieldSelector: parseFieldSelector('spec.color=red') };
    const counts: number[] = [];
    for (let microtasks = 0; microtasks < 16; microtasks++) {
      await using inner = createMemoryStore({ clock, compactionInterval: 0 });
      store = new FailingStore(inner);
      await using cache = newWidgetCache({ store: store.store, clock, indexedField: 'spec.color' });
      for (const name of ['a', 'b']) {
        await cache.create(`ns/${name}`, { ...make(name), spec: { color: 'red' } });
      }
      await cache.ready();
      const gate = Promise.withResolvers<void>();
      const interrupted = cache.list('', red).catch((error: unknown) => error);
      for (let i = 0; i < microtasks; i++) await Promise.resolve();
      store.reading = () => gate.promise;
      store.breakWatches();
      await eventLoopTurns();
      gate.resolve();
      // Everything or nothing, never a part.
      const response = await interrupted;
      if (!isTooManyRequests(response)) expect(response).toMatchObject({ items: { length: 2 } });
      counts.push((await cache.list('', red)).items.length);
    }
    expect(counts).toEqual(counts.map(() => 2));
  });

  it('ends a watch that was accepted but not yet started', async () => {
    await using cache = newCache();
    const source = await cache.watch('', { ...everything, resourceVersion: '1' });
    store.breakWatches();
    expect((await new WatchRecorder(source).ended())?.status.code).toBe(500);
  });
});

it('lets those who waited for the cache go on in turns', async () => {
  const readiness = new CacheReadiness({ clock: systemClock, fill: async () => void (await nextTurn()) });
  let went = 0;
  const waiting = Array.from({ length: 100 }, async () => {
    expect(await readiness.inTime()).toBe(true);
    went++;
    for (const begun = performance.now(); performance.now() - begun < 1; );
  });
  let most = 0;
  for (let before = 0; went < waiting.length; before = went) {
    await nextTurn();
    most = Math.max(most, went - before);
  }
  await Promise.all(waiting);
  expect(most).toBeLessThan(10);
  readiness[Symbol.dispose]();
});
