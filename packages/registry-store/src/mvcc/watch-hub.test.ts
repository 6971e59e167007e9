import { expect, it } from 'vitest';
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
