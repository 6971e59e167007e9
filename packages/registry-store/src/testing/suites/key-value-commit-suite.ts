import { expect, it } from 'vitest';
import { bytes, contents, plain, put, remove, text, type WithStore } from './key-value-suite-fixture.js';

/** Tests of commits. */
export function commitTests(withStore: WithStore): void {
  it(
    'starts at revision 1 and gives each write the next one',
    withStore(async (store) => {
      expect(await store.currentRevision()).toBe(1);
      expect(await put(store, '/a', '1')).toBe(2);
      expect(await put(store, '/b', '2')).toBe(3);
      expect(await put(store, '/a', '3', 2)).toBe(4);
      expect(await remove(store, '/b', 3)).toBe(5);
      expect(await put(store, '/b', '4')).toBe(6);
      expect(await store.currentRevision()).toBe(6);
      expect(await contents(store)).toEqual({ '/a': '3@4', '/b': '4@6' });
    }),
  );

  it(
    'rejects a failed comparison without using a revision, and returns the current state',
    withStore(async (store) => {
      await put(store, '/a', '1');
      const cases = [
        { type: 'put', key: '/a', value: bytes('x'), expectedRevision: 0 },
        { type: 'put', key: '/a', value: bytes('x'), expectedRevision: 9 },
        { type: 'delete', key: '/a', expectedRevision: 1 },
        { type: 'put', key: '/none', value: bytes('x'), expectedRevision: 2 },
        { type: 'delete', key: '/none', expectedRevision: 0 },
      ] as const;
      const there = { key: '/a', value: '1', modRevision: 2 };
      const results = await Promise.all(cases.map((request) => store.commit(request)));
      expect(results.map(plain)).toEqual(
        [there, there, there, undefined, undefined].map((current) => ({ committed: false, current, revision: 2 })),
      );
      expect(await store.currentRevision()).toBe(2);
    }),
  );

  it(
    'lets exactly one of many concurrent writers win',
    withStore(async (store) => {
      const attempts = Array.from({ length: 50 }, (_, i) =>
        store.commit({ type: 'put', key: '/a', value: bytes(String(i)), expectedRevision: 0 }),
      );
      const results = await Promise.all(attempts);
      const winners = results.filter((result) => result.committed);
      expect(winners).toEqual([{ committed: true, revision: 2 }]);
      const winner = String(results.findIndex((result) => result.committed));
      const losers = results.filter((result) => !result.committed);
      expect(losers.map((loser) => text(loser.current?.value))).toEqual(losers.map(() => winner));
    }),
  );

  it(
    'gives concurrent writes of different keys different revisions without gaps',
    withStore(async (store) => {
      const revisions = await Promise.all(Array.from({ length: 300 }, (_, i) => put(store, `/k/${i}`, 'v')));
      expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, i) => i + 2));
    }),
  );

  it(
    'keeps empty, large and binary values',
    withStore(async (store) => {
      const values = [Buffer.alloc(0), Buffer.alloc(1_500_000, 7), Buffer.from([0, 255, 10, 0])];
      for (const [i, value] of values.entries()) {
        await store.commit({ type: 'put', key: `/${i}`, value, expectedRevision: 0 });
        expect(Buffer.compare((await store.get(`/${i}`)).kv?.value ?? bytes('none'), value)).toBe(0);
      }
    }),
  );
}

/** etcd's --max-request-bytes, for a request with key and value that also compares and reads the key. */
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;

/** Tests of the maximum size of a value. */
export function sizeTests(withStore: WithStore): void {
  for (const [name, size] of [
    ['of what a request may have', MAX_REQUEST_BYTES],
    ['of more than a gRPC message may have', 2 * MAX_REQUEST_BYTES],
  ] as const) {
    it(
      `rejects a value ${name}, without a trace`,
      withStore(async (store) => {
        const revision = await put(store, '/a', 'before');
        const write = store.commit({ type: 'put', key: '/a', value: Buffer.alloc(size), expectedRevision: revision });
        await expect(write).rejects.toMatchObject({
          keyValueErrorCode: 'TooLarge',
          message: 'etcdserver: request is too large',
        });
        expect(await contents(store)).toEqual({ '/a': `before@${revision}` });
        expect(await put(store, '/a', 'after', revision)).toBe(revision + 1);
      }),
    );
  }

  it(
    'accepts a slightly smaller value',
    withStore(async (store) => {
      const value = Buffer.alloc(MAX_REQUEST_BYTES - 200, 7);
      const written = await store.commit({ type: 'put', key: '/a', value, expectedRevision: 0 });
      expect([written.committed, (await store.get('/a')).kv?.value.length]).toEqual([true, value.length]);
    }),
  );
}
