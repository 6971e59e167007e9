import { expect, it } from 'vitest';
import type { Transformer } from '../../objects/transformer.js';
import { WatchRecorder } from '../watch-recorder.js';
import {
  create,
  label,
  listOptions,
  names,
  remove,
  setColor,
  settled,
  type WithStorage,
  watch,
} from './storage-suite-fixture.js';

const FOLDER = '/registry/example.com/widgets/';

/** Cannot read values that begin with "bad". */
const refusing: Transformer = {
  toStorage: (bytes) => bytes,
  fromStorage(bytes) {
    if (Buffer.from(bytes).toString().startsWith('bad')) throw new Error('no matching prefix found');
    return { bytes, stale: false };
  },
};

const versionOf = (line: string): number => Number(line.split('@').at(-1));

/**
 * Tests of the progress of watches and of their end. Upstream: RunTestWatchFromZero (compaction),
 * RunTestWatchDispatchBookmarkEvents, RunTestOptionalWatchBookmarksWithCorrectResourceVersion,
 * RunWatchErrorIsBlockingFurtherEvents, RunTestWatchContextCancel
 */
export function progressTests(withStorage: WithStorage): void {
  it(
    'begins with the state if the history is gone, without deleted objects',
    withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a');
      await create(storage, 'ns/b');
      await setColor(storage, 'ns/a', 'red');
      await remove(storage, 'ns/b');
      await store.compact(5);
      for (const options of [{}, { resourceVersion: '0' }, { sendInitialEvents: true }]) {
        expect(await (await watch(storage, '', options)).have(1)).toEqual(['ADDED ns/a@4']);
      }
      const exact = listOptions({ resourceVersion: '5', match: 'Exact' });
      expect(names(await storage.list('', exact))).toEqual(['a@4']);
    }),
  );

  it(
    'sends no bookmark with a version of which an event is still pending',
    withStorage(async ({ storage, clock }) => {
      const recorder = await watch(storage, '', { resourceVersion: '1', allowBookmarks: true, label: 'wanted' });
      await settled();
      for (let i = 0; i < 40; i++) {
        const writing = create(storage, `ns/w${i}`, { labels: i % 2 === 0 ? { wanted: 'yes' } : {} });
        if (i % 5 === 0) clock.advance(61_000);
        await writing;
        if (i % 7 === 0) clock.advance(61_000);
      }
      await label(storage, 'ns/w1', { wanted: 'now' });
      await recorder.have(21);
      while (!recorder.lines.at(-1)?.startsWith('ADDED ns/w1@')) await settled();
      clock.advance(61_000);
      await settled();
      const versions = recorder.lines.map(versionOf);
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      const bookmarks = recorder.lines.filter((line) => line.startsWith('BOOKMARK'));
      expect(bookmarks.length).toBeGreaterThan(3);
      for (const [i, line] of recorder.lines.entries()) {
        if (!line.startsWith('BOOKMARK')) continue;
        expect(recorder.lines.slice(i + 1).filter((later) => versionOf(later) < versionOf(line))).toEqual([]);
      }
      expect(recorder.lines.filter((line) => line.startsWith('ADDED')).length).toBe(21);
      // Including versions without a change of the watched objects.
      expect(recorder.lines.some((line, i) => line.startsWith('BOOKMARK') && versions[i] !== versions[i - 1])).toBe(
        true,
      );
    }),
  );

  it(
    'sends nothing after the error that ends a watch',
    withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a');
      const recorder = await watch(storage, '', { resourceVersion: '1', allowBookmarks: true });
      await recorder.have(1);
      const key = `${FOLDER}ns/bad`;
      await store.commit({ type: 'put', key, value: Buffer.from('bad'), expectedRevision: 0 });
      await store.commit({ type: 'put', key: `${FOLDER}ns/bad2`, value: Buffer.from('bad'), expectedRevision: 0 });
      expect((await recorder.ended())?.status.code).toBe(500);
      await store.commit({ type: 'delete', key, expectedRevision: 3 });
      await settled();
      expect(recorder.lines).toEqual(['ADDED ns/a@2']);
    }, refusing),
  );

  it(
    'can be closed before it starts, and during its first events',
    withStorage(async ({ storage }) => {
      for (let i = 0; i < 50; i++) await create(storage, `ns/w${i}`);
      const options = { ...listOptions(), sendInitialEvents: true, allowBookmarks: true };
      // In key order: w17 is the tenth.
      const unstarted = await storage.watch('', options);
      unstarted.close();
      const never = new WatchRecorder(unstarted);
      const source = await storage.watch('', options);
      const seen: string[] = [];
      source.start({
        event({ object }) {
          seen.push(object.resourceVersion);
          if (seen.length === 10) source.close();
        },
        end: () => seen.push('end'),
      });
      while (seen.length < 10) await settled();
      await create(storage, 'ns/later');
      await settled();
      expect([seen.length, seen.at(-1), never.lines]).toEqual([10, '19', []]);
    }),
  );

  it(
    'starts at the revision after the given one, despite concurrent writes',
    withStorage(async ({ storage }) => {
      const writes = Array.from({ length: 100 }, (_, i) => create(storage, `ns/w${i}`));
      const revisions = await Promise.all(writes);
      const starts = [2, 17, 50, 99, 100].map((at) => String(at));
      for (const resourceVersion of starts) {
        const recorder = await watch(storage, '', { resourceVersion });
        const expected = revisions.filter((at) => at > Number(resourceVersion)).toSorted((a, b) => a - b);
        expect((await recorder.have(expected.length)).map(versionOf)).toEqual(expected);
      }
    }),
  );
}
