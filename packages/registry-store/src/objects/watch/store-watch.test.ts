import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { StorageWatchOptions } from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../../memory/create-memory-store.js';
import { create, listOptions, setColor, settled, watch } from '../../testing/suites/storage-suite-fixture.js';
import { WatchRecorder } from '../../testing/watch-recorder.js';
import type { Widget } from '../../testing/widget.js';
import { newWidgetContext } from '../../testing/widget-cache.js';
import { createObjectStorage } from '../object-storage.js';
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

it.each(['close', 'finish'] as const)('does not start after it was ended: %s', async (end) => {
  const { watch, reported } = newWatch();
  watch[end]();
  new WatchRecorder(watch);
  await turn();
  expect(reported).toEqual(['closed']);
});

describe('a watch of storage without a cache', () => {
  async function opened(options: Partial<StorageWatchOptions> = {}) {
    const store = createMemoryStore({ clock, compactionInterval: 0 });
    const storage = createObjectStorage<Widget>(newWidgetContext({ store }), clock);
    for (const name of ['a', 'b'])
      await create(storage, `ns/${name}`, { spec: { color: name === 'a' ? 'red' : 'blue' } });
    const open = (more: Parameters<typeof watch>[2]) => watch(storage, '', { ...options, ...more });
    return { store, storage, open };
  }

  it('begins with the present, or after a version', async () => {
    const { open, storage } = await opened();
    const [present, later, both, none] = [
      await open({}),
      await open({ resourceVersion: '2' }),
      await open({ resourceVersion: '2', sendInitialEvents: true }),
      await open({ sendInitialEvents: false }),
    ];
    for (const [recorder, count] of [
      [present, 2],
      [later, 1],
      [both, 2],
    ] as const)
      await recorder.have(count);
    await setColor(storage, 'ns/a', 'tan');
    expect(await Promise.all([present.have(3), later.have(2), both.have(3), none.have(1)])).toEqual([
      ['ADDED ns/a@2', 'ADDED ns/b@3', 'MODIFIED ns/a@4'],
      ['ADDED ns/b@3', 'MODIFIED ns/a@4'],
      ['ADDED ns/a@2', 'ADDED ns/b@3', 'MODIFIED ns/a@4'],
      ['MODIFIED ns/a@4'],
    ]);
  });

  it('ends at once if its first state is in the future', async () => {
    const { open } = await opened();
    const future = await open({ resourceVersion: '9', sendInitialEvents: true });
    expect((await future.ended())?.status).toMatchObject({
      code: 504,
      message: expect.stringContaining('9, current: 3'),
    });
    const later = await open({ resourceVersion: '9' });
    await settled();
    expect([later.lines, later.error]).toEqual([[], undefined]);
  });

  it('that is closed before its failure hears nothing', async () => {
    const { storage } = await opened();
    const source = await storage.watch('', {
      ...{ ...listOptions(), allowBookmarks: false, resourceVersion: '9', sendInitialEvents: true },
    });
    const end = vi.fn();
    source.start({ event: () => {}, end });
    source.close();
    await settled();
    expect(end).not.toHaveBeenCalled();
  });

  it('sees what comes into its selection and leaves it', async () => {
    const { open, storage } = await opened();
    const red = await open({ field: 'spec.color=red' });
    await red.have(1);
    await setColor(storage, 'ns/b', 'red');
    await setColor(storage, 'ns/a', 'blue');
    await setColor(storage, 'ns/a', 'tan');
    await setColor(storage, 'ns/b', 'blue');
    const expected = ['ADDED ns/a@2', 'ADDED ns/b@4', 'DELETED ns/a@5', 'DELETED ns/b@7'];
    expect(await red.have(4)).toEqual(expected);
  });

  it('ends with 410 at a compacted version, and without an error when the storage or the store is closed', async () => {
    const { open, storage, store } = await opened();
    await setColor(storage, 'ns/a', 'tan');
    await store.compact(4);
    const compacted = await open({ resourceVersion: '2' });
    expect((await compacted.ended())?.status).toMatchObject({ code: 410 });
    const [first, second] = [await open({}), await open({})];
    for (const recorder of [first, second]) await recorder.have(2);
    await storage[Symbol.asyncDispose]();
    expect([first, second].map((recorder) => [recorder.closed, recorder.error])).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
    const last = await open({});
    await last.have(2);
    await store[Symbol.asyncDispose]();
    expect([await last.ended(), last.closed]).toEqual([undefined, true]);
  });

  it('has the deadline of its options, and bookmarks of versions after its first', async () => {
    const { storage } = await opened();
    using added = vi.spyOn(Bookmarks.prototype, 'add');
    const options = { ...listOptions(), allowBookmarks: true, deadline: 77 };
    const source = (await storage.watch('', options)) as StoreWatch<Widget>;
    const recorder = new WatchRecorder(source);
    expect(source.deadline).toBe(77);
    source.bookmark();
    await recorder.have(2);
    await vi.waitFor(() => expect(added).toHaveBeenCalledTimes(1), { timeout: 30_000 });
    source.bookmark();
    expect(recorder.lines).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3']);
    await setColor(storage, 'ns/a', 'tan');
    source.bookmark();
    expect(recorder.lines.slice(2)).toEqual(['MODIFIED ns/a@4', 'BOOKMARK {}@4']);
  });
});
