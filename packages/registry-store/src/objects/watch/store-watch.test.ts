import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../../memory/create-memory-store.js';
import { ManualClock } from '../../testing/manual-clock.js';
import { WatchRecorder } from '../../testing/watch-recorder.js';
import type { Widget } from '../../testing/widget.js';
import { newWidgetContext } from '../../testing/widget-cache.js';
import { Bookmarks } from './bookmarks.js';
import { StoreWatch } from './store-watch.js';
import { storeWatchFailure } from './watch-failure.js';

const clock = new ManualClock();
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A watch of a resource without objects, and what it has reported to its storage. */
function newWatch() {
  const store = createMemoryStore({ clock, compactionInterval: 0 });
  const reported: string[] = [];
  const watch = new StoreWatch<Widget>({
    context: newWidgetContext({ store }),
    prefix: '',
    options: { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector, allowBookmarks: false },
    bookmarks: new Bookmarks(clock),
    from: 1,
    initial: false,
    failure: storeWatchFailure,
    opened: () => void reported.push('opened'),
    closed: () => void reported.push('closed'),
  });
  return { watch, reported };
}

it('is closed once, and not ended after it', async () => {
  const { watch, reported } = newWatch();
  const recorder = new WatchRecorder(watch);
  await turn();
  watch.close();
  watch.close();
  watch.finish();
  expect([reported, recorder.closed]).toEqual([['opened', 'closed'], false]);
});

it('is ended once, and closed by its end', async () => {
  const { watch, reported } = newWatch();
  const ends: unknown[] = [];
  watch.start({ event: () => {}, end: (error) => void ends.push(error) });
  await turn();
  watch.finish();
  watch.finish();
  expect([reported, ends]).toEqual([['opened', 'closed'], [undefined]]);
});

it('does not start when its client has left', async () => {
  const { watch, reported } = newWatch();
  watch.close();
  new WatchRecorder(watch);
  await turn();
  expect(reported).toEqual(['closed']);
});
