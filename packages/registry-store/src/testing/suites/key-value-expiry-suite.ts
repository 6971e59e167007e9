import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { KeyValueStore } from '../../key-value-store.js';
import { RecordingSink } from '../recording-sink.js';
import { bytes, contents, folder, put, remove, type WithStore } from './key-value-suite-fixture.js';

/** Times to live by the injected clock. */
export function expiryTests(withStore: WithStore): void {
  const putFor = async (store: KeyValueStore, key: string, ttlSeconds: number, expectedRevision = 0) =>
    await store.commit({ type: 'put', key, value: bytes('v'), ttlSeconds, expectedRevision });

  it(
    'deletes keys when their time is over, each with an event',
    withStore(async (store, clock) => {
      await putFor(store, '/a', 10);
      await putFor(store, '/b', 5);
      await put(store, '/c', 'stays');
      const sink = new RecordingSink();
      await store.watch(folder('/'), sink).catchUp();
      clock.advance(4999);
      expect(await contents(store)).toEqual({ '/a': 'v@2', '/b': 'v@3', '/c': 'stays@4' });
      clock.advance(1);
      expect(await sink.have(1)).toEqual(['delete /b @5 before v@3']);
      await setImmediate();
      clock.advance(5000);
      expect(await sink.have(2)).toEqual(['delete /b @5 before v@3', 'delete /a @6 before v@2']);
      expect(await contents(store)).toEqual({ '/c': 'stays@4' });
    }),
  );

  it(
    'restarts with every write, and ends with a write without a time to live',
    withStore(async (store, clock) => {
      await putFor(store, '/renewed', 5);
      await putFor(store, '/kept', 5);
      await putFor(store, '/gone', 5);
      clock.advance(3000);
      await putFor(store, '/renewed', 5, 2);
      await put(store, '/kept', 'v', 3);
      await remove(store, '/gone', 4);
      await put(store, '/gone', 'back');
      const sink = new RecordingSink();
      await store.watch(folder('/'), sink).catchUp();
      clock.advance(4999);
      await put(store, '/tick', '');
      expect(Object.keys(await contents(store))).toEqual(['/gone', '/kept', '/renewed', '/tick']);
      clock.advance(1);
      expect(await sink.have(2)).toEqual(['put /tick= @9', 'delete /renewed @10 before v@5']);
      clock.advance(60_000);
      expect(Object.keys(await contents(store))).toEqual(['/gone', '/kept', '/tick']);
    }),
  );
}

/** Times to live by a server's clock. */
export function serverExpiryTests(withStore: WithStore): void {
  it(
    'deletes expired keys, but not those rewritten without a time to live',
    withStore(async (store) => {
      const putFor = async (key: string, ttlSeconds: number) =>
        await store.commit({ type: 'put', key, value: bytes('v'), expectedRevision: 0, ttlSeconds });
      const sink = new RecordingSink();
      await store.watch(folder('/'), sink).catchUp();
      // Time for a busy machine to write without the time to live; the other key outlives it.
      const kept = await putFor('/kept', 8);
      await put(store, '/kept', 'w', kept.revision);
      await putFor('/a', 9);
      await put(store, '/c', 'stays');
      const events = await sink.have(5);
      expect(events[4]).toBe('delete /a @6 before v@4');
      expect(await contents(store)).toEqual({ '/c': 'stays@5', '/kept': 'w@3' });
    }),
  );
}
