import { expect, it } from 'vitest';
import { prefixEnd } from '../../key-value-store.js';
import { RecordingSink } from '../recording-sink.js';
import { contents, folder, hasCode, put, remove, text, type WithStore } from './key-value-suite-fixture.js';

/** Tests of reads, present and past. */
export function rangeTests(withStore: WithStore): void {
  it(
    'reads in the order of UTF-8 bytes',
    withStore(async (store) => {
      const keys = ['/a', '/a\0', '/a-b', '/a.b', '/a/b', '/aa', '/é', '/\uffee', '/\u{1f600}'];
      for (const key of keys.toReversed()) await put(store, key, '');
      const { kvs } = await store.range({ start: '/', end: '0' });
      expect(kvs.map((kv) => kv.key)).toEqual(keys);
      expect((await store.range({ start: '/\uffee', end: '/\u{1f600}' })).kvs.map((kv) => kv.key)).toEqual(['/\uffee']);
    }),
  );

  it(
    'honours limit and counts on request',
    withStore(async (store) => {
      const keys = Array.from({ length: 700 }, (_, i) => `/k/${String(i).padStart(3, '0')}`);
      await Promise.all(keys.map((key) => put(store, key, key)));
      await put(store, '/other', '');
      const all = await store.range(folder('/k/'));
      expect([all.kvs.length, all.more, all.count, all.revision]).toEqual([700, false, 700, 702]);
      const some = await store.range({ ...folder('/k/'), limit: 2, count: true });
      expect([some.kvs.map((kv) => kv.key), some.more, some.count]).toEqual([['/k/000', '/k/001'], true, 700]);
      const later = await store.range({ start: '/k/698\0', end: prefixEnd('/k/'), limit: 1, count: true });
      expect([later.kvs.map((kv) => kv.key), later.more, later.count]).toEqual([['/k/699'], false, 1]);
      expect((await store.range({ ...folder('/k/'), limit: 700 })).more).toBe(false);
    }),
  );

  it(
    'reports changes in a range, and its size',
    withStore(async (store, _clock, { skip }) => {
      if (store.rangeChanged === undefined) skip('reading all costs no more in this store');
      for (const key of ['/k/a', '/k/b', '/k/c', '/k/d', '/l']) await put(store, key, key);
      const after = await store.currentRevision();
      await put(store, '/k/b', 'later', 3);
      await put(store, '/k/é', 'new');
      await put(store, '/l', 'later', 6);
      const deleted = await remove(store, '/k/c', 4);
      const request = { ...folder('/k/'), after, limit: 10 };
      const changed = {
        kvs: [
          ['/k/b', 'later', 7],
          ['/k/é', 'new', 8],
        ],
        more: false,
        count: 4,
        revision: deleted,
      };
      const changesOf = async (changes: Partial<typeof request> & { revision?: number }) => {
        const response = await store.rangeChanged?.({ ...request, ...changes });
        return response && { ...response, kvs: response.kvs.map((kv) => [kv.key, text(kv.value), kv.modRevision]) };
      };
      expect(await changesOf({})).toEqual(changed);
      expect(await changesOf({ limit: 2 })).toEqual(changed);
      expect(await changesOf({ limit: 1 })).toEqual({ ...changed, kvs: changed.kvs.slice(0, 1), more: true });
      expect(await changesOf({ revision: 7 })).toEqual({ ...changed, kvs: changed.kvs.slice(0, 1), revision: 7 });
      expect(await changesOf({ after: deleted })).toEqual({ ...changed, kvs: [] });
      expect(await changesOf({ start: '/k/b\0', end: '/k/d' })).toEqual({ ...changed, kvs: [], count: 0 });
      await store.compact(deleted);
      await expect(changesOf({ revision: 7 })).rejects.toEqual(hasCode('Compacted', deleted));
      await expect(changesOf({ revision: 99 })).rejects.toEqual(hasCode('FutureRevision'));
    }),
  );

  it(
    'scans a range at one revision despite concurrent writes, one key at a time',
    withStore(async (store, _clock, { skip }) => {
      if (store.scan === undefined) skip('this store has pages only');
      const keys = [...Array.from({ length: 299 }, (_, i) => `/k/${String(i).padStart(3, '0')}`), '/k/é'];
      for (const key of keys) await put(store, key, `of ${key}`);
      const revision = await put(store, '/other', '');
      const seen: [string, string | undefined, number][] = [];
      let busy = 0;
      const scanned = store.scan?.(folder('/k/'), async ({ key, value, modRevision }) => {
        seen.push([key, text(value), modRevision]);
        busy++;
        if (seen.length === 10) {
          await put(store, '/k/200', 'later', 202);
          await remove(store, '/k/é', 301);
          await put(store, '/k/150a', 'later');
        }
        expect(busy--).toBe(1);
      });
      expect(await scanned).toBe(revision);
      expect(seen).toEqual(keys.map((key, i) => [key, `of ${key}`, i + 2]));
    }),
  );

  it(
    'ends a scan whose revision is compacted while its receiver is busy, instead of omitting keys',
    withStore(async (store, _clock, { skip }) => {
      if (store.scan === undefined) skip('this store has pages only');
      for (const key of ['/k/a', '/k/b']) await put(store, key, 'before');
      const scanned = store.scan?.(folder('/k/'), async ({ key }) => {
        if (key === '/k/a') await store.compact(await put(store, '/k/b', 'after', 3));
      });
      await expect(scanned).rejects.toMatchObject({ keyValueErrorCode: 'Compacted' });
    }),
  );

  it(
    'ends a scan with the error of its receiver',
    withStore(async (store, _clock, { skip }) => {
      if (store.scan === undefined) skip('this store has pages only');
      await put(store, '/a', '');
      const failing = () => {
        throw new Error('enough');
      };
      await expect(store.scan?.(folder('/'), failing)).rejects.toThrow('enough');
    }),
  );

  it(
    'reads the past: values, creations and deletions undone',
    withStore(async (store) => {
      await put(store, '/a', '1');
      await put(store, '/b', '1');
      await put(store, '/a', '2', 2);
      await remove(store, '/b', 3);
      await put(store, '/b', '2');
      await remove(store, '/a', 4);
      const past = [];
      for (let revision = 1; revision <= 7; revision++) past.push(await contents(store, revision));
      expect(past).toEqual([
        {},
        { '/a': '1@2' },
        { '/a': '1@2', '/b': '1@3' },
        { '/a': '2@4', '/b': '1@3' },
        { '/a': '2@4' },
        { '/a': '2@4', '/b': '2@6' },
        { '/b': '2@6' },
      ]);
      expect(text((await store.get('/a', { revision: 3 })).kv?.value)).toBe('1');
      const counted = await store.range({ ...folder('/'), revision: 4, limit: 1, count: true });
      expect([counted.count, counted.revision]).toEqual([2, 4]);
    }),
  );

  it(
    'rejects a future revision',
    withStore(async (store) => {
      await expect(store.range({ ...folder('/'), revision: 2 })).rejects.toEqual(hasCode('FutureRevision', 1));
      await expect(store.get('/a', { revision: 2 })).rejects.toEqual(hasCode('FutureRevision', 1));
    }),
  );
}

/** Tests of compaction. */
export function compactTests(withStore: WithStore): void {
  it(
    'drops the past and keeps the state at the compacted revision',
    withStore(async (store) => {
      await put(store, '/a', '1');
      await put(store, '/a', '2', 2);
      await put(store, '/b', '1');
      await remove(store, '/b', 4);
      await put(store, '/c', '1');
      await put(store, '/a', '3', 3);
      await store.compact(5);
      expect(await store.compactedRevision()).toBe(5);
      expect(await contents(store, 5)).toEqual({ '/a': '2@3' });
      expect(await contents(store, 6)).toEqual({ '/a': '2@3', '/c': '1@6' });
      expect(await contents(store)).toEqual({ '/a': '3@7', '/c': '1@6' });
      await expect(contents(store, 4)).rejects.toEqual(hasCode('Compacted', 5));
      await expect(store.get('/a', { revision: 4 })).rejects.toEqual(hasCode('Compacted', 5));
      await expect(store.compact(5)).rejects.toEqual(hasCode('Compacted', 5));
      await expect(store.compact(8)).rejects.toEqual(hasCode('FutureRevision', 7));
      await store.compact(7);
      expect(await contents(store)).toEqual({ '/a': '3@7', '/c': '1@6' });
      expect(await put(store, '/b', 'again')).toBe(8);
      expect(await contents(store, 7)).toEqual({ '/a': '3@7', '/c': '1@6' });
    }),
  );

  it(
    'ends a watch from a compacted revision and serves one from the next',
    withStore(async (store) => {
      await put(store, '/a', '1');
      await put(store, '/a', '2', 2);
      await put(store, '/a', '3', 3);
      await store.compact(3);
      const tooOld = new RecordingSink();
      store.watch({ ...folder('/'), fromRevision: 2 }, tooOld);
      expect(await tooOld.ended()).toEqual(hasCode('Compacted', 3));
      const next = new RecordingSink();
      store.watch({ ...folder('/'), fromRevision: 4 }, next);
      expect(await next.have(1)).toEqual(['put /a=3 @4 before 2@3']);
      expect(tooOld.events).toEqual([]);
    }),
  );

  it(
    'keeps every later state intact, after random operations',
    withStore(async (store) => {
      const revisions = new Map<string, number>();
      for (let i = 0; i < 400; i++) {
        const key = `/k/${(i * 7) % 23}`;
        const at = revisions.get(key) ?? 0;
        if (at !== 0 && i % 3 === 0) {
          await remove(store, key, at);
          revisions.delete(key);
        } else revisions.set(key, await put(store, key, String(i), at));
      }
      const states = new Map<number, unknown>();
      for (let revision = 300; revision <= 401; revision += 13) states.set(revision, await contents(store, revision));
      await store.compact(100);
      await store.compact(300);
      for (const [revision, state] of states) expect(await contents(store, revision)).toEqual(state);
    }),
  );
}
