import { TimeSlice } from '@apiserver/apimachinery/clock';
import { expect, it, vi } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import type { KeyValueEvent, KeyValueSink, RestoredKey } from '../key-value-store.js';
import { WatchHub } from './watch-hub.js';

const source = { revision: 1, compactedRevision: 0, pastEvents: () => [] };

function put(key: string, revision: number): KeyValueEvent {
  return { type: 'put', key, value: Buffer.from('{}'), revision, previous: undefined };
}

function recordingSink(seen: string[]): KeyValueSink {
  return { event: ({ key }) => void seen.push(key), end: () => {} };
}

it('forgets a closed watch', () => {
  const hub = new WatchHub(source);
  let comparisons = 0;
  const request = {
    get start() {
      comparisons++;
      return '/pods/a';
    },
    end: '/pods/b',
    previous: false,
  };
  const seen: string[] = [];
  const watch = hub.watch(request, recordingSink(seen));
  hub.dispatch(put('/pods/a', 2));
  watch.close();
  comparisons = 0;
  hub.dispatch(put('/pods/a', 3));
  expect([seen, comparisons]).toEqual([['/pods/a'], 0]);
});

it('delivers to the other watches of a folder after one is closed, and to later ones', () => {
  const hub = new WatchHub(source);
  const folder = { start: '/pods/', end: '/pods0', previous: false };
  const seen: Record<string, string[]> = { first: [], second: [], third: [] };
  const watch = (name: string) => hub.watch(folder, recordingSink(seen[name] ?? []));
  const first = watch('first');
  const second = watch('second');
  hub.dispatch(put('/pods/a', 2));
  first.close();
  hub.dispatch(put('/pods/b', 3));
  second.close();
  hub.dispatch(put('/pods/c', 4));
  watch('third');
  hub.dispatch(put('/pods/d', 5));
  expect(seen).toEqual({ first: ['/pods/a'], second: ['/pods/a', '/pods/b'], third: ['/pods/d'] });
});

it.each([
  ['one key', '/pods/b', '/pods/b\0', ['/pods/b']],
  ['a folder', '/pods/', '/pods0', ['/pods/a', '/pods/b', '/pods/c']],
  ['keys from one on', '/pods/b', '/q', ['/pods/b', '/pods/c']],
  ['keys before one', '/', '/pods/b', ['/a', '/pods/a']],
])('hands the restored keys of its range to a watch of %s', async (_, start, end, expected) => {
  const hub = new WatchHub(source);
  const seen: unknown[] = [];
  const restored = (revision: number, changed: readonly RestoredKey[]) =>
    void seen.push(revision, ...changed.map(({ key }) => key));
  hub.watch({ start, end, previous: false }, { event: () => {}, end: () => {}, restored });
  const changed = ['/a', '/pods/a', '/pods/b', '/pods/c', '/q'].map((key) => ({ key, current: undefined }));
  const done = hub.restored(7, changed);
  expect(seen).toEqual([7, ...expected]);
  await done;
});

it.each([
  ['an event', (hub: WatchHub) => hub.dispatch(put('/pods/a', 2))],
  ['a restore', (hub: WatchHub) => void hub.restored(7, [])],
])('ends only the watch whose receiver fails at %s', (_, deliver) => {
  const hub = new WatchHub(source);
  const bug = new Error('a bug');
  const fail = () => {
    throw bug;
  };
  const ends: unknown[] = [];
  const seen: string[] = [];
  const request = { start: '/pods/', end: '/pods0', previous: false };
  const watch = hub.watch(request, { event: fail, restored: fail, end: (error) => void ends.push(error) });
  hub.watch(request, { ...recordingSink(seen), restored: () => void seen.push('restored') });
  deliver(hub);
  expect(ends).toEqual([
    expect.objectContaining({
      keyValueErrorCode: 'Unavailable',
      message: 'the receiver of a watch failed',
      cause: bug,
    }),
  ]);
  expect(seen).toHaveLength(1);
  // It is closed, and nothing ends it again.
  deliver(hub);
  watch.close();
  expect([ends.length, seen.length]).toEqual([1, 2]);
});

it('delivers keys of any range, and of folders within folders', () => {
  const hub = new WatchHub(source);
  const seen: Record<string, string[]> = { folder: [], inner: [], half: [], other: [] };
  const watch = (name: string, start: string, end: string) =>
    hub.watch({ start, end, previous: false }, recordingSink(seen[name] ?? []));
  watch('folder', '/pods/', '/pods0');
  watch('inner', '/pods/ns/', '/pods/ns0');
  // It begins like a folder, but ends elsewhere.
  watch('half', '/pods/', '/pods/ns/b');
  watch('other', '/pods/ns', '/pods/nt');
  const keys = ['/pods/ns/a', '/pods/ns/b', '/pods/ns', '/pods/x', '/pod/ns/a', '/pods/ns/a/c'];
  for (const [i, key] of keys.entries()) hub.dispatch(put(key, i + 2));
  expect(seen).toEqual({
    folder: ['/pods/ns/a', '/pods/ns/b', '/pods/ns', '/pods/x', '/pods/ns/a/c'],
    inner: ['/pods/ns/a', '/pods/ns/b', '/pods/ns/a/c'],
    half: ['/pods/ns/a', '/pods/ns', '/pods/ns/a/c'],
    other: ['/pods/ns/a', '/pods/ns/b', '/pods/ns', '/pods/ns/a/c'],
  });
});

it('ends a watch once, with the last error of the store, and later watches in their next turn', async () => {
  const hub = new WatchHub(source);
  const ends: string[] = [];
  const request = { start: '/pods/', end: '/pods0', previous: false };
  const sink = (name: string): KeyValueSink => ({
    event: () => {},
    end: ({ message }) => void ends.push(`${name}: ${message}`),
  });
  hub.watch(request, sink('early'));
  hub.watch(request, sink('closed')).close();
  hub.end(new KeyValueError('Closed', 'the store is closed'));
  hub.watch(request, sink('late'));
  expect(ends).toEqual(['early: the store is closed']);
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(ends).toEqual(['early: the store is closed', 'late: the store is closed']);
});

it('reads the past in batches until its receiver closes it', async () => {
  using _over = vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(false);
  const past = Array.from({ length: 600 }, (_, i) => put(`/pods/${i}`, i + 2));
  const asked: number[] = [];
  const hub = new WatchHub({
    revision: 601,
    compactedRevision: 1,
    pastEvents: (first, limit) => {
      asked.push(first);
      return past.slice(first - 2, first - 2 + limit);
    },
  });
  const seen: number[] = [];
  const watch = hub.watch(
    { start: '/pods/', end: '/pods0', fromRevision: 2 },
    {
      event: ({ revision }) => {
        seen.push(revision);
        if (revision === 300) watch.close();
      },
      end: () => seen.push(-1),
    },
  );
  expect([watch.revision, watch.catchUp() === undefined]).toEqual([1, false]);
  await watch.catchUp();
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect([seen.length, seen.at(-1), asked]).toEqual([299, 300, [2, 258]]);
  expect(watch.revision).toBe(299 + 1);
});
