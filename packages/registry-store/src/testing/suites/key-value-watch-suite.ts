import { expect, it } from 'vitest';
import { RecordingSink } from '../recording-sink.js';
import { caughtUp, folder, isShared, NO_PROGRESS, put, remove, type WithStore } from './key-value-suite-fixture.js';

/** Tests of watches. */
export function watchTests(withStore: WithStore): void {
  it(
    'delivers its range from now on, in this process before the commit is acknowledged',
    withStore(async (store) => {
      await put(store, '/a/1', 'before');
      const sink = new RecordingSink();
      const exact = new RecordingSink();
      const watch = store.watch(folder('/a/'), sink);
      await Promise.all([watch.catchUp(), store.watch({ start: '/a/2', end: '/a/2\0' }, exact).catchUp()]);
      const delivered = await put(store, '/a/1', 'x', 2).then(() => sink.events.length);
      await put(store, '/b', '');
      await put(store, '/ab', '');
      await put(store, '/a/2', 'y');
      await remove(store, '/a/1', 3);
      expect(await sink.have(3)).toEqual([
        'put /a/1=x @3 before before@2',
        'put /a/2=y @6',
        'delete /a/1 @7 before x@3',
      ]);
      expect(await exact.have(1)).toEqual(['put /a/2=y @6']);
      if (!isShared(store)) expect(delivered).toBe(1);
      await caughtUp(store, watch, 7);
    }),
  );

  it(
    'delivers the past in order and continues with the present without gap or repetition',
    withStore(async (store) => {
      await Promise.all(Array.from({ length: 600 }, (_, i) => put(store, `/k/${i}`, 'v')));
      await put(store, '/other', '');
      const sink = new RecordingSink();
      const watch = store.watch({ ...folder('/k/'), fromRevision: 102 }, sink);
      const writes = Promise.all(Array.from({ length: 100 }, (_, i) => put(store, `/k/later-${i}`, 'v')));
      const events = [...(await sink.have(600))];
      await writes;
      const revisions = events.map((event) => Number(event.split('@')[1]));
      const expected = [
        ...Array.from({ length: 500 }, (_, i) => i + 102),
        ...Array.from({ length: 100 }, (_, i) => i + 603),
      ];
      expect(revisions).toEqual(expected);
      await caughtUp(store, watch, 702);
    }),
  );

  it(
    'waits for a future first revision',
    withStore(async (store) => {
      const sink = new RecordingSink();
      store.watch({ ...folder('/'), fromRevision: 4 }, sink);
      for (const key of ['/a', '/b', '/c', '/d']) await put(store, key, '');
      expect(await sink.have(2)).toEqual(['put /c= @4', 'put /d= @5']);
    }),
  );

  it(
    'delivers nothing after close, even if called inside the sink',
    withStore(async (store) => {
      const sink = new RecordingSink();
      const seen: string[] = [];
      const watch = store.watch(folder('/'), {
        event(event) {
          seen.push(event.key);
          watch.close();
          watch.close();
        },
        end: () => seen.push('end'),
      });
      const other = store.watch(folder('/'), sink);
      // Both begin "now", which a network store determines for each separately.
      await Promise.all([watch.catchUp(), other.catchUp()]);
      await Promise.all([put(store, '/a', ''), put(store, '/b', '')]);
      await sink.have(2);
      expect(seen).toHaveLength(1);
    }),
  );

  it(
    'catches up across many revisions with an empty range',
    withStore(async (store, _, context) => {
      await Promise.all(Array.from({ length: 300 }, (_, i) => put(store, `/k/${i}`, 'v')));
      await put(store, '/end', '');
      if (store.freshness === 'unknown') context.skip(NO_PROGRESS);
      const watch = store.watch({ ...folder('/none/'), fromRevision: 2 }, new RecordingSink());
      await watch.catchUp();
      expect(watch.revision).toBe(302);
      await put(store, '/x', '');
      await watch.catchUp();
      expect(watch.revision).toBe(303);
    }),
  );
}
