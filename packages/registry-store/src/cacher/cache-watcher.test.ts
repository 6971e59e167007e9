import { newInternalError } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import { eventLoopTurns, ManualClock } from '@apiserver/apimachinery/testing';
import type { WatchSink } from '@apiserver/apiserver-contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { Change } from '../objects/change.js';
import { newBookmark } from '../objects/watch/bookmark-event.js';
import { WatchRecorder } from '../testing/watch-recorder.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { CacheWatcher, type CacheWatcherOptions, type ChangesAfter, type WatchedCache } from './cache-watcher.js';
import { DeliveryTime } from './delivery-time.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A cache without objects; `attached` has its live watchers. */
function emptyCache(snapshot: () => Promise<void> = async () => {}) {
  const store = createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 });
  const attached = new Set<CacheWatcher<Widget>>();
  const cache: WatchedCache<Widget> = {
    kind: newWidgetContext({ store }).kind,
    revision: 5,
    snapshot: () => snapshot().then(() => ({ entries: [], revision: 5 })),
    changesAfter: () => ({ changes: [], upTo: 5 }),
    attach: (watcher) => {
      attached.add(watcher);
      watcher.attached();
    },
    leave: (watcher) => void attached.delete(watcher),
    detach: (watcher) => void attached.delete(watcher),
    failure: (error) => newInternalError(error),
    bookmarkAt: () => {
      throw new Error('no bookmark is due');
    },
    initialEvents: () => {},
    outsideShard: () => {},
  };
  return { cache, attached };
}

const optionsOf = (cache: WatchedCache<Widget>, initial: boolean): CacheWatcherOptions<Widget> => ({
  cache,
  prefix: '',
  scope: { namespace: '', name: '' },
  options: { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector, allowBookmarks: false },
  from: 5,
  initial,
});
const watcherOf = (cache: WatchedCache<Widget>, initial: boolean) => new CacheWatcher(optionsOf(cache, initial));

it('attaches a watcher once it has caught up', async () => {
  const { cache, attached } = emptyCache();
  const watcher = watcherOf(cache, true);
  new WatchRecorder(watcher);
  await turn();
  expect([...attached]).toEqual([watcher]);
  watcher.close();
  expect([...attached]).toEqual([]);
});

it.each([true, false])(
  'does not attach a watcher whose client left before the start, initial events: %s',
  async (initial) => {
    const { cache, attached } = emptyCache();
    const watcher = watcherOf(cache, initial);
    watcher.close();
    const recorder = new WatchRecorder(watcher);
    await turn();
    expect([[...attached], recorder.lines, recorder.closed]).toEqual([[], [], false]);
  },
);

it('does not attach a watcher whose client left while the first state was read', async () => {
  const gate = Promise.withResolvers<void>();
  const { cache, attached } = emptyCache(() => gate.promise);
  const watcher = watcherOf(cache, true);
  new WatchRecorder(watcher);
  await turn();
  watcher.close();
  gate.resolve();
  await turn();
  expect([...attached]).toEqual([]);
});

it('does not attach a watcher whose client left while the store was read', async () => {
  const { cache, attached } = emptyCache();
  const gate = Promise.withResolvers<ChangesAfter<Widget>>();
  const watcher = watcherOf({ ...cache, changesAfter: () => gate.promise }, false);
  new WatchRecorder(watcher);
  await turn();
  watcher.close();
  gate.resolve({ changes: [], upTo: 5 });
  await turn();
  expect([...attached]).toEqual([]);
});

it('is not attached while a change between its position and the present is unread', async () => {
  const { cache, attached } = emptyCache();
  const asked: number[] = [];
  const changesAfter = (position: number) => {
    // A revision without a change of this resource.
    asked.push(position);
    expect([...attached]).toEqual([]);
    return { changes: [], upTo: Math.min(position + 1, 5) };
  };
  const watcher = new CacheWatcher({ ...optionsOf({ ...cache, changesAfter }, false), from: 2 });
  new WatchRecorder(watcher);
  await turn();
  expect([asked, [...attached]]).toEqual([[2, 3, 4], [watcher]]);
});

it.each([
  ['at its position', 5, false, ['BOOKMARK']],
  ['after it', 6, false, ['BOOKMARK']],
  ['before it', 4, false, []],
  ['after it has closed', 6, true, []],
])('sends a bookmark %s', async (_, revision, closed, expected) => {
  const { cache } = emptyCache();
  const at = { revision: 5 };
  const watched: WatchedCache<Widget> = {
    ...cache,
    get revision() {
      return at.revision;
    },
    bookmarkAt: (asked) => newBookmark(cache.kind, asked),
  };
  const watcher = watcherOf(watched, false);
  const seen: string[] = [];
  watcher.start({ event: ({ type }) => void seen.push(type), end: () => {} });
  await turn();
  at.revision = revision;
  if (closed) watcher.close();
  watcher.bookmark();
  expect(seen).toEqual(expected);
});

describe('a live change that a turn has no time for', () => {
  const change = (key: string, revision: number) =>
    new Change<Widget>(key, revision, { current: undefined, previous: undefined });
  afterEach(() => vi.restoreAllMocks());

  /** Delivers changes to a live watcher that selects; returns the positions from which it then reads the past. */
  async function positionsAfter(sink: Partial<WatchSink<Widget>>, changes: readonly Change<Widget>[]) {
    const { cache } = emptyCache();
    const positions: number[] = [];
    const changesAfter = (position: number) => {
      positions.push(position);
      return { changes: [], upTo: Math.max(position, 5) };
    };
    const options = optionsOf({ ...cache, changesAfter }, false);
    const watcher = new CacheWatcher({
      ...options,
      options: { ...options.options, labelSelector: parseLabelSelector('a=b') },
    });
    let caughtUp = 0;
    watcher.start({ event: () => {}, end: () => {}, caughtUp: () => void caughtUp++, ...sink });
    await turn();
    positions.length = 0;
    const isOver = vi.spyOn(DeliveryTime.prototype, 'isOver').mockReturnValueOnce(false).mockReturnValue(true);
    for (const one of changes) watcher.deliver(one);
    await eventLoopTurns();
    isOver.mockRestore();
    expect(caughtUp).toBe(1);
    return positions;
  }

  it('is read from the past', async () => {
    expect(await positionsAfter({}, [change('ns/a', 6), change('ns/b', 8)])).toEqual([7]);
  });

  it('is delivered at once if a part of its revision was', async () => {
    expect(await positionsAfter({}, [change('ns/a', 6), change('ns/b', 6)])).toEqual([]);
  });

  it('is delivered at once to a sink that follows restores', async () => {
    expect(await positionsAfter({ followsRestore: true }, [change('ns/a', 6), change('ns/b', 8)])).toEqual([]);
  });
});
