import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Clock } from '../clock.js';
import type { KeyValueErrorCode } from '../key-value-error.js';
import { type CommitResult, type KeyValueStore, type KeyValueWatch, prefixEnd } from '../key-value-store.js';
import { ManualClock } from './manual-clock.js';
import { RecordingSink } from './recording-sink.js';

/** What stores may do differently. */
export interface KeyValueStoreTraits {
  /** Whose clock ends times to live: the one passed in, or a server's own. Default: "given". */
  readonly clock?: 'given' | 'server';
}

/** Opens an empty store; the suite disposes it. */
export type OpenKeyValueStore = (options: { readonly clock: Clock }) => Promise<KeyValueStore>;

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (value: Uint8Array | undefined): string | undefined => value && Buffer.from(value).toString();
const folder = (prefix: string) => ({ start: prefix, end: prefixEnd(prefix) });

/** Writes, and fails the test when the comparison does. */
async function put(store: KeyValueStore, key: string, value: string, expectedRevision = 0): Promise<number> {
  const result = await store.commit({ type: 'put', key, value: bytes(value), expectedRevision });
  if (!result.committed) throw new Error(`not committed: ${key}`);
  return result.revision;
}

async function remove(store: KeyValueStore, key: string, expectedRevision: number): Promise<number> {
  const result = await store.commit({ type: 'delete', key, expectedRevision });
  if (!result.committed) throw new Error(`not committed: ${key}`);
  return result.revision;
}

async function contents(store: KeyValueStore, revision?: number): Promise<Record<string, string>> {
  const result = await store.range({ ...folder('/'), ...(revision === undefined ? {} : { revision }) });
  return Object.fromEntries(result.kvs.map((kv) => [kv.key, `${text(kv.value)}@${kv.modRevision}`]));
}

function plain(result: CommitResult): unknown {
  if (result.committed) return result;
  const { current } = result;
  return { ...result, current: current && { ...current, value: text(current.value) } };
}

const hasCode = (keyValueErrorCode: KeyValueErrorCode, revision?: number) =>
  expect.objectContaining({ keyValueErrorCode, ...(revision === undefined ? {} : { revision }) });

/** Whether writes of others may be on their way that no watch knows of. */
const isShared = (store: KeyValueStore): boolean => (store.freshness ?? 'immediate') !== 'immediate';

const NO_PROGRESS = 'this server does not tell the progress of watches';

/** What every KeyValueStore does. */
export function keyValueStoreSuite(name: string, open: OpenKeyValueStore, traits: KeyValueStoreTraits = {}): void {
  const withStore: WithStore = (test) => async (context) => {
    const clock = new ManualClock();
    await using store = await open({ clock });
    await test(store, clock, context);
  };

  describe(`KeyValueStore: ${name}`, () => {
    describe('commit', () => commitTests(withStore));
    describe('size', () => sizeTests(withStore));
    describe('range', () => rangeTests(withStore));
    describe('watch', () => watchTests(withStore));
    describe('compact', () => compactTests(withStore));
    if (traits.clock === 'server') describe('time to live', () => serverExpiryTests(withStore));
    else describe('time to live', () => expiryTests(withStore));
    describe('close', () => closeTests(withStore));
  });
}

type StoreTest = (store: KeyValueStore, clock: ManualClock, context: TestContext) => Promise<void>;

type WithStore = (test: StoreTest) => (context: TestContext) => Promise<void>;

/** Waits until a watch has delivered all, and checks how far it says it is; where there is no telling, nothing. */
async function caughtUp(store: KeyValueStore, watch: KeyValueWatch, revision: number): Promise<void> {
  await watch.catchUp();
  if (store.freshness !== 'unknown') expect(watch.revision).toBe(revision);
}

function commitTests(withStore: WithStore): void {
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
    'refuses when the comparison fails, spends no revision and says what is there',
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

/** etcd's --max-request-bytes, with key and value in a request that also compares and reads the key. */
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;

function sizeTests(withStore: WithStore): void {
  for (const [name, size] of [
    ['of what a request may have', MAX_REQUEST_BYTES],
    ['of more than a gRPC message may have', 2 * MAX_REQUEST_BYTES],
  ] as const) {
    it(
      `refuses a value ${name}, without a trace`,
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
    'takes a value of a little less',
    withStore(async (store) => {
      const value = Buffer.alloc(MAX_REQUEST_BYTES - 200, 7);
      const written = await store.commit({ type: 'put', key: '/a', value, expectedRevision: 0 });
      expect([written.committed, (await store.get('/a')).kv?.value.length]).toEqual([true, value.length]);
    }),
  );
}

function rangeTests(withStore: WithStore): void {
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
      for (let i = 0; i < 700; i++) void put(store, `/k/${String(i).padStart(3, '0')}`, String(i));
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
    'refuses a revision that has not happened',
    withStore(async (store) => {
      await expect(store.range({ ...folder('/'), revision: 2 })).rejects.toEqual(hasCode('FutureRevision', 1));
      await expect(store.get('/a', { revision: 2 })).rejects.toEqual(hasCode('FutureRevision', 1));
    }),
  );
}

function watchTests(withStore: WithStore): void {
  it(
    'delivers from now on, only its range, in this process before the commit is acknowledged',
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
    'delivers the past in order and goes over to the present without gap or repetition',
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
    'waits for a first revision that lies ahead',
    withStore(async (store) => {
      const sink = new RecordingSink();
      store.watch({ ...folder('/'), fromRevision: 4 }, sink);
      for (const key of ['/a', '/b', '/c', '/d']) await put(store, key, '');
      expect(await sink.have(2)).toEqual(['put /c= @4', 'put /d= @5']);
    }),
  );

  it(
    'delivers nothing after close, even from within the sink',
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
      await other.catchUp();
      await Promise.all([put(store, '/a', ''), put(store, '/b', '')]);
      await sink.have(2);
      expect(seen).toHaveLength(1);
    }),
  );

  it(
    'catches up across many revisions with an empty range',
    withStore(async (store, _, context) => {
      for (let i = 0; i < 300; i++) void put(store, `/k/${i}`, 'v');
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

function compactTests(withStore: WithStore): void {
  it(
    'forgets the past and keeps what is current at the compacted revision',
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
    'ends a watch from a forgotten revision and serves one from the next',
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
    'leaves every later state intact, whatever was done',
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

function expiryTests(withStore: WithStore): void {
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
    'counts anew with every write, and not at all after a write without',
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

function serverExpiryTests(withStore: WithStore): void {
  it(
    'deletes keys when their time is over, but not those written anew without one',
    withStore(async (store) => {
      const request = { type: 'put', value: bytes('v'), expectedRevision: 0, ttlSeconds: 1 } as const;
      const sink = new RecordingSink();
      await store.watch(folder('/'), sink).catchUp();
      const written = await Promise.all(['/a', '/kept'].map((key) => store.commit({ ...request, key })));
      await put(store, '/kept', 'w', written[1]?.revision);
      await put(store, '/c', 'stays');
      const events = await sink.have(5);
      expect(events[4]).toMatch(/^delete \/a @6 before v@[23]$/);
      expect(await contents(store)).toEqual({ '/c': 'stays@5', '/kept': 'w@4' });
    }),
  );
}

function closeTests(withStore: WithStore): void {
  it(
    'ends watches and refuses everything afterwards, once all writes are through',
    withStore(async (store) => {
      const sink = new RecordingSink();
      await store.watch(folder('/'), sink).catchUp();
      const last = put(store, '/a', '1');
      await store[Symbol.asyncDispose]();
      expect(await last).toBe(2);
      if (!isShared(store)) expect(sink.events).toEqual(['put /a=1 @2']);
      expect(await sink.ended()).toEqual(hasCode('Closed'));
      await expect(store.get('/a')).rejects.toEqual(hasCode('Closed'));
      await expect(put(store, '/b', '')).rejects.toEqual(hasCode('Closed'));
      await expect(store.currentRevision()).rejects.toEqual(hasCode('Closed'));
      const late = new RecordingSink();
      store.watch(folder('/'), late);
      expect(await late.ended()).toEqual(hasCode('Closed'));
    }),
  );
}
