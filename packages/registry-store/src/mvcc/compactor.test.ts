import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { MemoryTables } from '../memory/memory-tables.js';
import { createEmbeddedStore } from './embedded-store.js';
import type { LogRecord, MetaRecord, TableWrites } from './tables.js';

const turns = async (count = 10) => {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};
const put = (store: KeyValueStore, expectedRevision: number, value = 'v') =>
  store.commit({ type: 'put', key: '/a', value: Buffer.from(value), expectedRevision });

/** Tables with versions of a key, from revision 2 on, and another meta record. */
async function tablesWith(
  changes: Partial<MetaRecord>,
  { tables = new MemoryTables(), newest = 7 } = {},
): Promise<MemoryTables> {
  await using store = createEmbeddedStore(tables, { clock: new ManualClock(), compactionInterval: 0 });
  for (let revision = 1; revision < newest; revision++) await put(store, revision === 1 ? 0 : revision);
  const meta = { ...(tables.readMeta() as MetaRecord), ...changes };
  await tables.commit({ index: new Map(), log: new Map(), expiries: [], meta });
  return tables;
}

const revisionsOf = (tables: MemoryTables) => tables.scanLog(1, 100).map(({ revision }) => revision);

afterEach(() => vi.restoreAllMocks());

describe('the removal of history', () => {
  it.each([
    ['goes on at the next start', { compactedRevision: 5 }, [5, 6, 7]],
    ['goes on where it ended', { compactedRevision: 6, prunedRevision: 4 }, [2, 3, 6, 7]],
    ['is done', { compactedRevision: 5, prunedRevision: 5 }, [2, 3, 4, 5, 6, 7]],
  ])('%s', async (_, changes, left) => {
    const tables = await tablesWith(changes);
    const reclaim = vi.fn();
    const all = Object.assign(tables, { reclaim });
    await using _store = createEmbeddedStore(all, { clock: new ManualClock(), compactionInterval: 0 });
    await turns();
    expect(revisionsOf(tables)).toEqual(left);
    expect(reclaim.mock.calls.length > 0).toBe(left.length < 6);
  });

  it('waits before each step until writes would not wait for it', async () => {
    // A step that takes long on a busy machine would make the next one smaller, and a further one necessary.
    using _now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const tables = await tablesWith({ compactedRevision: 300 }, { newest: 400 });
    const waiting: PromiseWithResolvers<void>[] = [];
    const readyToRemove = () => {
      const ready = Promise.withResolvers<void>();
      waiting.push(ready);
      return ready.promise;
    };
    await using _store = createEmbeddedStore(Object.assign(tables, { readyToRemove }), {
      clock: new ManualClock(),
      compactionInterval: 0,
    });
    const pruned: unknown[] = [];
    for (let step = 0; step < 2; step++) {
      await turns();
      pruned.push([waiting.length, tables.readMeta()?.prunedRevision]);
      waiting.at(-1)?.resolve();
    }
    await turns();
    pruned.push(tables.readMeta()?.prunedRevision);
    expect(pruned).toEqual([[1, 0], [2, 128], 300]);
  });

  it('ends when the store is closed, and leaves the rest to the next start', async () => {
    const tables = await tablesWith({ compactedRevision: 900 }, { newest: 1000 });
    const reclaim = vi.fn();
    const store = createEmbeddedStore(Object.assign(tables, { reclaim }), {
      clock: new ManualClock(),
      compactionInterval: 0,
    });
    await store[Symbol.asyncDispose]();
    await turns();
    expect(reclaim).not.toHaveBeenCalled();
    expect(tables.readMeta()).toMatchObject({ compactedRevision: 900, prunedRevision: 128 });
  });

  it('keeps what a damaged version replaced, and removes deletions that are the newest', async () => {
    class DamagedTables extends MemoryTables {
      override lendLog(revision: number): LogRecord | undefined {
        const record = super.lendLog(revision);
        return revision === 4 && record !== undefined ? { ...record, damaged: true } : record;
      }
    }
    const tables = await tablesWith({}, { tables: new DamagedTables() });
    await using store = createEmbeddedStore(tables, { clock: new ManualClock(), compactionInterval: 0 });
    await store.commit({ type: 'delete', key: '/a', expectedRevision: 7 });
    await store.commit({ type: 'put', key: '/b', value: Buffer.from('b'), expectedRevision: 0 });
    await store.commit({ type: 'delete', key: '/b', expectedRevision: 9 });
    await store.commit({ type: 'put', key: '/b', value: Buffer.from('c'), expectedRevision: 0 });
    await store.compact(11);
    expect(revisionsOf(tables)).toEqual([3, 11]);
    expect([tables.readIndex('/a'), tables.readIndex('/b')?.revision]).toEqual([undefined, 11]);
  });

  it('takes several commits, between which others are written', async () => {
    const tables = new MemoryTables();
    await using store = createEmbeddedStore(tables, { clock: new ManualClock(), compactionInterval: 0 });
    for (let revision = 1; revision < 1500; revision++) await put(store, revision === 1 ? 0 : revision);
    const commits: TableWrites[] = [];
    const { commit } = tables;
    vi.spyOn(tables, 'commit').mockImplementation(async (writes) => {
      commits.push(writes);
      await commit.call(tables, writes);
    });
    await Promise.all([store.compact(1500), store.compact(1500).catch(() => {})]);
    const pruned = commits.map(({ meta }) => meta.prunedRevision);
    expect(pruned).toEqual(pruned.toSorted((a, b) => a - b));
    expect([pruned[0], pruned[1], pruned.at(-1)]).toEqual([0, 128, 1500]);
    expect(revisionsOf(tables)).toEqual([1500]);
    expect((await store.get('/a')).kv?.modRevision).toBe(1500);
  });
});

describe('a periodic compaction', () => {
  it.each([
    ['first comes after an interval', 0, 1000],
    ['comes an interval after the last one', 400, 600],
    ['comes at once if it is due', 1000, 0],
    ['comes at once if it is overdue', 5000, 0],
    ['comes after an interval if the clock was ahead', -5000, 1000],
  ])('%s', async (_, ago, expected) => {
    const clock = new ManualClock();
    const tables = await tablesWith({ tickTime: ago === 0 ? 0 : clock.now() - ago });
    using schedule = vi.spyOn(clock, 'schedule');
    await using _store = createEmbeddedStore(tables, { clock, compactionInterval: 1000 });
    expect(schedule.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([expected]);
  });

  it.each([
    [0, []],
    [undefined, [300_000]],
  ])('with the interval %s is scheduled after %j', async (compactionInterval, expected) => {
    const clock = new ManualClock();
    using schedule = vi.spyOn(clock, 'schedule');
    const options = compactionInterval === undefined ? { clock } : { clock, compactionInterval };
    await using store = createEmbeddedStore(new MemoryTables(), options);
    await put(store, 0);
    expect(schedule.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual(expected);
  });

  it('records its time and revision, and is not scheduled again once the store is closed', async () => {
    const clock = new ManualClock();
    const tables = new MemoryTables();
    const cancelled = vi.fn();
    const store = createEmbeddedStore(tables, { clock, compactionInterval: 1000 });
    await put(store, 0);
    clock.advance(1000);
    await turns();
    expect(tables.readMeta()).toMatchObject({ tickTime: clock.now(), tickRevision: 2, compactedRevision: 0 });
    using schedule = vi.spyOn(clock, 'schedule').mockReturnValue(cancelled);
    clock.advance(1000);
    await turns();
    await store[Symbol.asyncDispose]();
    expect([schedule.mock.calls.length, cancelled.mock.calls.length]).toEqual([1, 1]);
  });

  it('that is in progress when the store is closed is the last one', async () => {
    const clock = new ManualClock();
    const tables = new MemoryTables();
    const store = createEmbeddedStore(tables, { clock, compactionInterval: 1000 });
    await put(store, 0);
    using schedule = vi.spyOn(clock, 'schedule');
    clock.advance(1000);
    await store[Symbol.asyncDispose]();
    await turns();
    expect([tables.readMeta()?.tickRevision, schedule.mock.calls.length]).toEqual([2, 0]);
  });

  it('does not go back behind a compaction on request', async () => {
    const clock = new ManualClock();
    await using store = createEmbeddedStore(new MemoryTables(), { clock, compactionInterval: 1000 });
    await put(store, 0);
    clock.advance(1000);
    await turns();
    for (const revision of [2, 3, 4]) await put(store, revision);
    await store.compact(4);
    clock.advance(1000);
    await turns();
    expect(await store.compactedRevision()).toBe(4);
    clock.advance(1000);
    await turns();
    expect(await store.compactedRevision()).toBe(5);
  });

  it('is tried again after an interval if the disk was full', async () => {
    const clock = new ManualClock();
    const tables = new MemoryTables();
    await using store = createEmbeddedStore(tables, { clock, compactionInterval: 1000 });
    await put(store, 0);
    const full = Object.assign(new Error('full'), { keyValueErrorCode: 'NoSpace' });
    using commit = vi.spyOn(tables, 'commit').mockRejectedValueOnce(full);
    clock.advance(1000);
    await turns();
    const recorded = () => tables.readMeta()?.tickRevision;
    const first = recorded();
    clock.advance(1000);
    await turns();
    expect([first, recorded(), commit.mock.calls.length]).toEqual([0, 2, 2]);
  });
});

describe('a history by its size', () => {
  it.each([
    ['within its limit stays', 1000, 90, 0],
    ['of more than its limit is cut', 1000, 150, 1],
  ])('%s: an eighth of the file', async (_, bytes, writes, cut) => {
    const tables = Object.assign(new MemoryTables(), { size: () => 800_000 });
    await using store = createEmbeddedStore(tables, {
      clock: new ManualClock(),
      compactionInterval: 0,
      maxHistoryBytes: 10_000,
    });
    for (let i = 1; i <= writes; i++) await put(store, i === 1 ? 0 : i, 'x'.repeat(bytes));
    await turns();
    expect(Math.min(1, await store.compactedRevision())).toBe(cut);
    expect(await store.size?.()).toBe(800_000);
  });

  it('is not cut at its maximal length, and to the half of it beyond', async () => {
    await using store = createEmbeddedStore(new MemoryTables(), {
      clock: new ManualClock(),
      compactionInterval: 0,
      maxHistory: 11,
    });
    for (let revision = 1; revision < 11; revision++) await put(store, revision === 1 ? 0 : revision);
    await turns();
    const before = await store.compactedRevision();
    await put(store, 11);
    await turns();
    expect([before, await store.compactedRevision()]).toEqual([0, 7]);
  });
});
