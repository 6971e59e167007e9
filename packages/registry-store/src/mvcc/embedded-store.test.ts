import { setTimeout as sleep } from 'node:timers/promises';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { describe, expect, it, vi } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { MemoryTables } from '../memory/memory-tables.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { createEmbeddedStore } from './embedded-store.js';
import type { TableWrites } from './tables.js';
import { WriterGathering } from './writer-gathering.js';

const everything = { start: '/', end: prefixEnd('/') };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Tables whose commits pause between the write and the sync, until the test decides their result. */
class HeldTables extends MemoryTables {
  held: { readonly writes: TableWrites; readonly end: PromiseWithResolvers<void> } | undefined;
  hold = false;

  /** `false`: the writes are not in the tables when the commit fails. */
  applyBeforeSync = true;

  override async commit(writes: TableWrites): Promise<void> {
    if (!this.hold) return await super.commit(writes);
    if (this.applyBeforeSync) await super.commit(writes);
    this.held = { writes, end: Promise.withResolvers() };
    await this.held.end.promise;
  }

  /** Resolves when a commit is held. */
  async begun(): Promise<void> {
    while (this.held === undefined) await turn();
  }
}

function put(store: KeyValueStore, key: string, expectedRevision = 0, value = 'v') {
  return store.commit({ type: 'put', key, value: Buffer.from(value), expectedRevision });
}

async function visible(store: KeyValueStore): Promise<unknown> {
  const { kvs, revision } = await store.range(everything);
  return { revision, kvs: kvs.map((kv) => `${kv.key}=${Buffer.from(kv.value).toString()}@${kv.modRevision}`) };
}

async function heldStore() {
  const tables = new HeldTables();
  const store = createEmbeddedStore(tables, { clock: new ManualClock(), compactionInterval: 0 });
  await put(store, '/a', 0, 'old');
  const sink = new RecordingSink();
  await store.watch(everything, sink).catchUp();
  tables.hold = true;
  return { tables, store, sink };
}

describe('between commit and sync', () => {
  it('shows neither value, nor event, nor revision; then all at once', async () => {
    const { tables, store, sink } = await heldStore();
    let acknowledged = false;
    const write = put(store, '/a', 2, 'new').finally(() => {
      acknowledged = true;
    });
    const create = put(store, '/b');
    await tables.begun();
    expect(tables.readIndex('/a')?.revision).toBe(3);
    expect([await visible(store), sink.events, acknowledged]).toEqual([{ revision: 2, kvs: ['/a=old@2'] }, [], false]);
    const late = new RecordingSink();
    store.watch({ ...everything, fromRevision: 2 }, late);
    await turn();
    expect(late.events).toEqual(['put /a=old @2']);
    tables.held?.end.resolve();
    expect(await write).toEqual({ committed: true, revision: 3 });
    expect(await create).toEqual({ committed: true, revision: 4 });
    expect(await visible(store)).toEqual({ revision: 4, kvs: ['/a=new@3', '/b=v@4'] });
    expect(sink.events).toEqual(['put /a=new @3 before old@2', 'put /b=v @4']);
    expect(late.events.slice(1)).toEqual(sink.events);
  });

  it('delays later writes, and evaluates them by the result', async () => {
    const { tables, store } = await heldStore();
    const first = put(store, '/a', 2, 'first');
    await tables.begun();
    const second = put(store, '/a', 2, 'second');
    await turn();
    tables.hold = false;
    tables.held?.end.resolve();
    expect(await first).toEqual({ committed: true, revision: 3 });
    expect(await second).toMatchObject({ committed: false, current: { modRevision: 3 }, revision: 3 });
  });

  it('reverts everything when the disk is full, and continues', async () => {
    const { tables, store, sink } = await heldStore();
    tables.applyBeforeSync = false;
    const failed = [put(store, '/a', 2, 'new'), put(store, '/b')];
    await tables.begun();
    tables.hold = false;
    tables.held?.end.reject(new KeyValueError('NoSpace', 'full'));
    for (const write of failed) await expect(write).rejects.toMatchObject({ keyValueErrorCode: 'NoSpace' });
    expect([await visible(store), sink.events]).toEqual([{ revision: 2, kvs: ['/a=old@2'] }, []]);
    expect(await put(store, '/c')).toEqual({ committed: true, revision: 3 });
    expect(sink.events).toEqual(['put /c=v @3']);
  });

  it('stops permanently when the state on disk is unknown', async () => {
    const { tables, store, sink } = await heldStore();
    const failed = put(store, '/a', 2, 'new');
    await tables.begun();
    tables.hold = false;
    tables.held?.end.reject(new Error('fsync failed'));
    await expect(failed).rejects.toMatchObject({ keyValueErrorCode: 'Unavailable' });
    expect(await sink.ended()).toMatchObject({ keyValueErrorCode: 'Unavailable' });
    await expect(put(store, '/b')).rejects.toMatchObject({ keyValueErrorCode: 'Unavailable' });
    await expect(store.get('/a')).rejects.toMatchObject({ keyValueErrorCode: 'Unavailable' });
    await store[Symbol.asyncDispose]();
  });
});

describe('writers that wait for each other', () => {
  it('count once, however soon they write again', async () => {
    using committed = vi.spyOn(WriterGathering.prototype, 'committed');
    await using store = createEmbeddedStore(new MemoryTables(), { clock: new ManualClock(), compactionInterval: 0 });
    const writers = ['/a', '/b', '/c'].map(async (key) => {
      await put(store, key);
      await put(store, `${key}/again`);
    });
    await Promise.all(writers);
    expect(committed.mock.calls.map(([writes, came]) => [writes, came])).toEqual([
      [3, 0],
      [3, 0],
    ]);
  });

  it('are committed 500 at a time, and the rest counts for the next commit', async () => {
    using committed = vi.spyOn(WriterGathering.prototype, 'committed');
    using _now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    await using store = createEmbeddedStore(new MemoryTables(), { clock: new ManualClock(), compactionInterval: 0 });
    await Promise.all(Array.from({ length: 600 }, (_, i) => put(store, `/${i}`)));
    expect(committed.mock.calls).toEqual([
      [500, 0, 0],
      [100, 0, 0],
    ]);
  });

  it('are written before the store closes', async () => {
    class SlowTables extends MemoryTables {
      override async commit(writes: TableWrites): Promise<void> {
        await super.commit(writes);
        await sleep(2);
      }
    }
    using gather = vi.spyOn(WriterGathering.prototype, 'gather');
    const store = createEmbeddedStore(new SlowTables(), { clock: new ManualClock(), compactionInterval: 0 });
    await Promise.all(Array.from({ length: 12 }, (_, i) => put(store, `/${i}`)));
    const late = put(store, '/late');
    await store[Symbol.asyncDispose]();
    expect(gather.mock.results.at(-1)?.value).toBeInstanceOf(Promise);
    expect(await late).toEqual({ committed: true, revision: 14 });
  });
});

describe('a receiver that throws', () => {
  it('loses its watch without affecting others', async () => {
    const store = createEmbeddedStore(new MemoryTables(), { clock: new ManualClock(), compactionInterval: 0 });
    const ended: unknown[] = [];
    const broken = {
      event: () => {
        throw new RangeError('bug');
      },
      end: (error: unknown) => void ended.push(error),
    };
    const sink = new RecordingSink();
    store.watch(everything, broken);
    store.watch(everything, sink);
    expect(await put(store, '/a')).toEqual({ committed: true, revision: 2 });
    await put(store, '/b');
    expect(sink.events).toEqual(['put /a=v @2', 'put /b=v @3']);
    expect(ended).toEqual([expect.objectContaining({ cause: new RangeError('bug') })]);
    await store[Symbol.asyncDispose]();
  });
});

describe('compaction on a disk that syncs slowly', () => {
  it('removes more than is written in the meantime', async () => {
    class SlowTables extends MemoryTables {
      override async commit(writes: TableWrites): Promise<void> {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await super.commit(writes);
      }
    }
    const tables = new SlowTables();
    await using store = createEmbeddedStore(tables, {
      clock: new ManualClock(),
      compactionInterval: 0,
      maxHistory: 200,
    });
    const batch = 100;
    const longest = { history: 0 };
    for (let round = 0; round < 30; round++) {
      const before = (i: number) => (round === 0 ? 0 : 2 + (round - 1) * batch + i);
      const writes = Array.from({ length: batch }, (_, i) => put(store, `/${i}`, before(i)));
      for (const write of writes) expect((await write).committed).toBe(true);
      longest.history = Math.max(longest.history, tables.scanLog(0, 10_000).length);
    }
    expect(longest.history).toBeLessThan(1000);
  });
});

describe('watches of a folder', () => {
  it('get events although earlier ones were closed, even twice', async () => {
    await using store = createEmbeddedStore(new MemoryTables(), { clock: new ManualClock(), compactionInterval: 0 });
    const [first, second] = [new RecordingSink(), new RecordingSink()];
    const closed = store.watch(everything, first);
    closed.close();
    store.watch(everything, second);
    closed.close();
    await put(store, '/a');
    expect([first.events, second.events]).toEqual([[], ['put /a=v @2']]);
  });
});

describe('periodic compaction', () => {
  it('drops what is older than one interval, and writes nothing when idle', async () => {
    const clock = new ManualClock();
    await using store = createEmbeddedStore(new MemoryTables(), { clock, compactionInterval: 1000 });
    const tick = async () => {
      clock.advance(1000);
      for (let i = 0; i < 10; i++) await turn();
      return [await store.compactedRevision(), await store.currentRevision()];
    };
    await put(store, '/a');
    expect(await tick()).toEqual([0, 2]);
    await put(store, '/a', 2);
    expect(await tick()).toEqual([2, 3]);
    expect(await tick()).toEqual([3, 3]);
    expect(await tick()).toEqual([3, 3]);
    await put(store, '/a', 3);
    expect(await tick()).toEqual([3, 4]);
    expect(await tick()).toEqual([4, 4]);
  });

  it('removes what it drops, tick after tick', async () => {
    const clock = new ManualClock();
    const tables = new MemoryTables();
    await using store = createEmbeddedStore(tables, { clock, compactionInterval: 1000 });
    const left = [];
    for (let revision = 1; revision < 7; revision++) {
      await put(store, '/a', revision === 1 ? 0 : revision);
      clock.advance(1000);
      for (let i = 0; i < 10; i++) await turn();
      left.push(tables.scanLog(1, 100).map((record) => record.revision));
    }
    expect(left).toEqual([[2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]);
  });

  it('cuts history that is too large', async () => {
    const tables = new MemoryTables();
    await using store = createEmbeddedStore(tables, {
      clock: new ManualClock(),
      compactionInterval: 0,
      maxHistoryBytes: 10_000,
    });
    for (let i = 0; i < 100; i++) await put(store, '/a', i === 0 ? 0 : i + 1, 'x'.repeat(1000));
    for (let i = 0; i < 10; i++) await turn();
    const kept = tables.scanLog(1, 200).length;
    expect(kept).toBeGreaterThanOrEqual(7);
    expect(kept).toBeLessThanOrEqual(12);
    expect((await store.get('/a')).kv?.modRevision).toBe(101);
  });

  it('cuts it later if the disk was full', async () => {
    const tables = new MemoryTables();
    await using store = createEmbeddedStore(tables, {
      clock: new ManualClock(),
      compactionInterval: 0,
      maxHistory: 10,
    });
    for (let i = 0; i < 9; i++) await put(store, `/k/${i}`);
    const { commit } = tables;
    // The tenth is written, and the cut that follows it is not.
    let commits = 0;
    tables.commit = async (writes) => {
      if (++commits > 1) throw new KeyValueError('NoSpace', 'full');
      await commit.call(tables, writes);
    };
    await put(store, '/k/9');
    for (let i = 0; i < 5; i++) await turn();
    expect([commits, await store.compactedRevision()]).toEqual([2, 0]);
    tables.commit = commit;
    await put(store, '/k/10');
    for (let i = 0; i < 5; i++) await turn();
    expect([await store.compactedRevision(), (await store.range(everything)).kvs.length]).toEqual([7, 11]);
  });

  it('cuts history that is too long', async () => {
    await using store = createEmbeddedStore(new MemoryTables(), {
      clock: new ManualClock(),
      compactionInterval: 0,
      maxHistory: 100,
    });
    for (let i = 0; i < 150; i++) await put(store, `/k/${i}`);
    await turn();
    await turn();
    expect(await store.compactedRevision()).toBeGreaterThanOrEqual(51);
    expect((await store.range(everything)).kvs.length).toBe(150);
  });
});

describe('a store', () => {
  const options = () => ({ clock: new ManualClock(), compactionInterval: 0 });

  it('accepts a request of the largest size, and none that is larger by a byte', async () => {
    await using store = createEmbeddedStore(new MemoryTables(), options());
    const largest = 1.5 * 1024 * 1024 - 64 - 3 * '/key'.length;
    const write = (length: number, expectedRevision = 0) =>
      store.commit({ type: 'put', key: '/key', value: Buffer.alloc(length), expectedRevision });
    await expect(write(largest + 1)).rejects.toMatchObject({ keyValueErrorCode: 'TooLarge' });
    expect(await write(largest)).toEqual({ committed: true, revision: 2 });
  });

  it('writes nothing for comparisons that failed', async () => {
    const tables = new MemoryTables();
    await using store = createEmbeddedStore(tables, options());
    await put(store, '/a');
    using commit = vi.spyOn(tables, 'commit');
    const failed = { committed: false, revision: 2 };
    expect(await Promise.all([put(store, '/a'), put(store, '/b', 1)])).toMatchObject([failed, failed]);
    expect(commit).not.toHaveBeenCalled();
  });

  it('sets a timer only for keys with a time to live', async () => {
    const { clock, ...rest } = options();
    await using store = createEmbeddedStore(new MemoryTables(), { clock, ...rest });
    using schedule = vi.spyOn(clock, 'schedule');
    const write = (key: string, ttlSeconds: number) =>
      store.commit({ type: 'put', key, value: Buffer.alloc(0), expectedRevision: 0, ttlSeconds });
    await write('/a', 0);
    expect(schedule).not.toHaveBeenCalled();
    for (const [key, seconds] of [
      ['/b', 9],
      ['/c', 9],
      ['/d', 10],
      ['/e', 8],
    ] as const)
      await write(key, seconds);
    expect(schedule.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([9000, 8000]);
  });

  it('is closed once, however often it is asked to', async () => {
    const tables = new MemoryTables();
    const end = Promise.withResolvers<void>();
    using close = vi.spyOn(tables, 'close').mockReturnValue(end.promise);
    const { clock } = options();
    const store = createEmbeddedStore(tables, { clock, compactionInterval: 0 });
    const cancel = vi.fn();
    using _schedule = vi.spyOn(clock, 'schedule').mockReturnValue(cancel);
    await store.commit({ type: 'put', key: '/a', value: Buffer.alloc(0), expectedRevision: 0, ttlSeconds: 9 });
    let closed = 0;
    const both = [0, 1].map(async () => {
      await store[Symbol.asyncDispose]();
      closed++;
    });
    await turn();
    expect([close.mock.calls.length, closed, cancel.mock.calls.length]).toEqual([1, 0, 1]);
    end.resolve();
    await Promise.all(both);
    expect(close.mock.calls.length).toBe(1);
  });

  it('keeps the reason why it stopped after it is closed, and says that it is closed otherwise', async () => {
    const tables = new MemoryTables();
    const failures: string[] = [];
    const store = createEmbeddedStore(tables, { ...options(), failed: ({ message }) => void failures.push(message) });
    using _commit = vi.spyOn(tables, 'commit').mockRejectedValue(new Error('fsync failed'));
    await expect(put(store, '/a')).rejects.toThrow('fsync failed');
    await store[Symbol.asyncDispose]();
    for (const call of [store.get('/a'), store.compact(1), store.compactedRevision()]) {
      await expect(call).rejects.toThrow('fsync failed');
    }
    expect(failures).toEqual(['fsync failed']);
    const other = createEmbeddedStore(new MemoryTables(), options());
    await other[Symbol.asyncDispose]();
    for (const call of [other.range(everything), other.compact(1), other.compactedRevision(), put(other, '/a')]) {
      await expect(call).rejects.toMatchObject({ keyValueErrorCode: 'Closed', message: 'the store is closed' });
    }
  });

  it('knows its size only if its tables do', async () => {
    await using store = createEmbeddedStore(new MemoryTables(), options());
    expect(store.size).toBeUndefined();
  });

  it('ends a watch of a damaged change, and names its revision', async () => {
    const tables = new MemoryTables();
    await using store = createEmbeddedStore(tables, options());
    for (const key of ['/a', '/b', '/c']) await put(store, key);
    const scan = tables.scanLog.bind(tables);
    vi.spyOn(tables, 'scanLog').mockImplementation((...range) =>
      scan(...range).map((record) => (record.revision === 3 ? { ...record, damaged: true } : record)),
    );
    const sink = new RecordingSink();
    store.watch({ ...everything, fromRevision: 2 }, sink);
    expect(await sink.ended()).toMatchObject({
      keyValueErrorCode: 'Corrupt',
      message: 'the change of revision 3 is damaged: it does not match its checksum',
    });
    expect(sink.events).toEqual([]);
    const later = new RecordingSink();
    store.watch({ ...everything, fromRevision: 4 }, later);
    expect(await later.have(1)).toEqual(['put /c=v @4']);
  });
});
