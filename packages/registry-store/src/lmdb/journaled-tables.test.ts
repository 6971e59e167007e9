import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import type { TableWrites } from '../mvcc/tables.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { DataFile } from './data-file.js';
import { openEnvironment } from './environment.js';
import { BLOCK } from './journal-batches.js';
import { JournalFile } from './journal-file.js';
import { type Journal, JournaledTables } from './journaled-tables.js';
import { LmdbTables } from './lmdb-tables.js';

const HALF = 16_384;
let folder: ReturnType<typeof temporaryDirectory>;
let lmdb: LmdbTables;
let tables: JournaledTables;
/** Errors of the next writes to the journal, and of the next commits of LMDB. */
let journalError: Error | undefined;
let commitError: Error | undefined;

beforeEach(async () => {
  folder = temporaryDirectory();
  journalError = undefined;
  commitError = undefined;
  const path = join(folder.path, 'data.mdb');
  const options = {
    fsync: true,
    small: 2 ** 40,
    maxRatio: 2,
    maxRatioInUse: 2,
    copyInterval: 60_000,
    closed: () => {},
  };
  lmdb = new LmdbTables(new DataFile(await openEnvironment(path), path), options);
  const commit = lmdb.commit.bind(lmdb);
  lmdb.commit = async (...all) => {
    await nextTurn();
    if (commitError !== undefined) throw commitError;
    await commit(...all);
  };
  tables = new JournaledTables(lmdb, {
    after: 0,
    create: async () => failing(await JournalFile.create(folder.path, HALF)),
  });
  await tables.prepare();
  await tables.commit(version(1));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await tables.close();
  folder[Symbol.dispose]();
});

function failing(journal: Journal | undefined): Journal | undefined {
  if (journal === undefined) return undefined;
  const write = journal.write.bind(journal);
  return Object.assign(journal, {
    write: async (...all: Parameters<Journal['write']>) => {
      if (journalError !== undefined) throw journalError;
      await write(...all);
    },
  });
}

const nameOf = (revision: number): string => `/k/${String(revision).padStart(4, '0')}`;

/** A new key at that revision. */
function version(revision: number, size = 100): TableWrites {
  const key = nameOf(revision);
  const meta = { revision, compactedRevision: 0, prunedRevision: 0, tickTime: 0, tickRevision: 0 };
  return {
    index: new Map([[key, { revision, deleted: false, expiresAt: 0 }]]),
    log: new Map([[revision, { key, value: Buffer.alloc(size, 'x'), previousRevision: 0 }]]),
    expiries: [],
    meta,
  };
}

/** Removes keys that were written at these revisions. */
function removal(removed: readonly number[], revision: number): TableWrites {
  return {
    index: new Map(removed.map((each) => [nameOf(each), undefined])),
    log: new Map(removed.map((each) => [each, undefined])),
    expiries: [],
    meta: { ...version(revision).meta, prunedRevision: revision },
  };
}

/** Revisions in all tables, and in LMDB alone. */
const revisions = () => [tables, lmdb].map((each) => each.scanLog(0, 1000).map(({ revision }) => revision));

const noSpace = new KeyValueError('NoSpace', 'full');

describe('JournaledTables', () => {
  it('leave writes to the journal until a half of it is full', async () => {
    for (let revision = 2; revision <= 5; revision++) await tables.commit(version(revision));
    expect(revisions()).toEqual([[1, 2, 3, 4, 5], [1]]);
    await tables.commit(version(6));
    await tables.settle();
    expect(revisions()).toEqual([
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
    ]);
  });

  it('give LMDB all writes after some seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await tables.commit(version(2));
    vi.advanceTimersByTime(4999);
    await nextTurn();
    await nextTurn();
    expect(revisions()).toEqual([[1, 2], [1]]);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await vi.waitFor(() => expect(revisions()[1]).toEqual([1, 2]), 30_000);
  });

  it('settle although writes go on', async () => {
    await tables.commit(version(2));
    let isSettled = false;
    const settled = tables.settle().then(() => {
      isSettled = true;
    });
    for (let revision = 3; !isSettled; revision++) await tables.commit(version(revision));
    await settled;
    expect(revisions()[1]).toContain(2);
  });

  it('scan both halves and LMDB as one', async () => {
    for (let revision = 2; revision <= 12; revision++) await tables.commit(version(revision));
    const scan = (start: number, end: number, limit: number) =>
      tables.scanIndex(nameOf(start), nameOf(end), limit).map(({ revision }) => revision);
    expect(scan(1, 13, 100)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(scan(1, 13, 3)).toEqual([1, 2, 3]);
    expect(scan(4, 12, 5)).toEqual([4, 5, 6, 7, 8]);
    expect(tables.scanLog(3, 2).map(({ revision }) => revision)).toEqual([3, 4]);
    expect(tables.scanLog(11, 5).map(({ revision }) => revision)).toEqual([11, 12]);
    expect(tables.readMeta()?.revision).toBe(12);
  });

  it('hide removed records of LMDB and of both halves until LMDB has removed them', async () => {
    for (let revision = 2; revision <= 7; revision++) await tables.commit(version(revision));
    const removed = [1, 3, 7];
    const kept = [2, 4, 5, 6];
    await tables.commit(removal(removed, 7));
    const shown = () => ({
      index: tables.scanIndex(nameOf(0), nameOf(9), 100).map(({ revision }) => revision),
      first: tables.scanIndex(nameOf(0), nameOf(9), 2).map(({ revision }) => revision),
      log: tables.scanLog(0, 100).map(({ revision }) => revision),
      firstOfLog: tables.scanLog(0, 2).map(({ revision }) => revision),
      read: removed.flatMap((revision) => [
        tables.readIndex(nameOf(revision)),
        tables.readLog(revision),
        tables.lendLog(revision),
        tables.lendValue(nameOf(revision), revision),
      ]),
    });
    const nothing = removed.flatMap(() => [undefined, undefined, undefined, undefined]);
    const expected = { index: kept, first: [2, 4], log: kept, firstOfLog: [2, 4], read: nothing };
    expect(shown()).toEqual(expected);
    // The first of them is still in LMDB, the last one in a half that it stores.
    expect(lmdb.readLog(1)).toBeDefined();
    await tables.settle();
    expect([shown(), revisions()]).toEqual([expected, [kept, kept]]);
    expect(lmdb.readMeta()?.prunedRevision).toBe(7);
  });

  it('have a key again that is written after its removal', async () => {
    await tables.commit(removal([1], 1));
    const { log, expiries, meta } = version(2);
    const index = new Map([[nameOf(1), { revision: 2, deleted: false, expiresAt: 0 }]]);
    await tables.commit({ index, log, expiries, meta });
    const found = () => [tables.readIndex(nameOf(1))?.revision, revisions()[0]];
    expect(found()).toEqual([2, [2]]);
    await tables.settle();
    expect([found(), lmdb.readIndex(nameOf(1))?.revision]).toEqual([[2, [2]], 2]);
  });

  it('look at the size of the data file when LMDB has removed records', async () => {
    const seen: unknown[] = [];
    vi.spyOn(lmdb, 'reclaim').mockImplementation(() => void seen.push(lmdb.readLog(1)));
    await tables.commit(version(2));
    await tables.settle();
    await tables.commit(removal([1], 2));
    expect(seen).toEqual([]);
    await tables.settle();
    expect(seen).toEqual([undefined]);
  });

  it('are ready for removals when LMDB stores no half', async () => {
    await tables.readyToRemove();
    for (let revision = 2; revision <= 6; revision++) await tables.commit(version(revision));
    await tables.readyToRemove();
    expect(revisions()[1]).toEqual([1, 2, 3, 4, 5]);
  });

  it('have nothing of a write for which the journal has no space', async () => {
    await tables.commit(version(2));
    journalError = noSpace;
    await expect(tables.commit(version(3))).rejects.toThrow(noSpace);
    expect([revisions()[0], tables.readIndex(nameOf(3)), tables.readMeta()?.revision]).toEqual([[1, 2], undefined, 2]);
    journalError = undefined;
    await tables.commit(version(3));
    expect(revisions()[0]).toEqual([1, 2, 3]);
  });

  it('take writes while LMDB has no space, until the journal is full, and lose none', async () => {
    commitError = noSpace;
    let revision = 2;
    let error: unknown;
    for (; error === undefined && revision < 100; revision++) {
      await tables.commit(version(revision)).catch((reason: unknown) => {
        error = reason;
      });
    }
    expect(error).toBe(noSpace);
    const taken = Array.from({ length: revision - 2 }, (_, i) => i + 1);
    expect(revisions()).toEqual([taken, [1]]);
    // Two halves of four blocks.
    expect(taken).toHaveLength(9);
    await expect(tables.settle()).rejects.toThrow(noSpace);
    commitError = undefined;
    await tables.commit(version(10));
    await tables.settle();
    expect(revisions()[1]).toEqual([...taken, 10]);
  });

  it('try again to create a journal after as many commits', async () => {
    const create = vi.fn(async () => undefined);
    const others = new JournaledTables(lmdb, { after: 2, create });
    for (let revision = 2; revision <= 7; revision++) await others.commit(version(revision));
    expect(create).toHaveBeenCalledTimes(3);
  });

  it('accept nothing after an error that leaves it open what is on the disk', async () => {
    journalError = new KeyValueError('Unavailable', 'the disk is gone');
    await expect(tables.commit(version(2))).rejects.toThrow(journalError);
    const lost = journalError;
    journalError = undefined;
    await expect(tables.commit(version(2))).rejects.toThrow(lost);
  });

  it('report that LMDB failed with the next write', async () => {
    commitError = new KeyValueError('Unavailable', 'the disk is gone');
    await tables.commit(version(2));
    await expect(tables.settle()).rejects.toThrow(commitError);
    await expect(tables.commit(version(3))).rejects.toThrow(commitError);
  });
});

it('a journal is removed before the next owner of the folder can create one', async () => {
  const journal = join(folder.path, 'journal');
  const seen: boolean[] = [];
  // LMDB's tables release the folder.
  const close = lmdb.close.bind(lmdb);
  lmdb.close = async () => {
    seen.push(existsSync(journal));
  };
  seen.push(existsSync(journal));
  await tables.close();
  expect(seen).toEqual([true, false]);
  tables = new JournaledTables(lmdb, { after: 1, create: async () => undefined });
  lmdb.close = close;
});

describe('JournalFile', () => {
  it('misses its file within a second of use', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const path = join(folder.path, 'journal');
    const journal = await JournalFile.create(folder.path, HALF);
    journal?.checkInPlace();
    renameSync(path, `${path}.old`);
    clock.mockReturnValue(1000);
    const lost = `${path} was removed or replaced while it was in use`;
    expect(() => journal?.checkInPlace()).toThrow(lost);
    writeFileSync(path, 'another');
    clock.mockReturnValue(2000);
    expect(() => journal?.checkInPlace()).toThrow(lost);
    journal?.close();
  });

  it('does not know what a failed write has left if it cannot take it back', async () => {
    const journal = await JournalFile.create(folder.path, HALF);
    journal?.close();
    const other = openSync('/dev/null', 'r');
    await expect(journal?.write(0, 0, 10)).rejects.toMatchObject({
      keyValueErrorCode: 'Unavailable',
      message: `the commit failed: ${join(folder.path, 'journal')} cannot be written`,
    });
    closeSync(other);
  });

  it('writes through the page cache what the system does not write directly', async () => {
    const journal = await JournalFile.create(folder.path, HALF);
    const half = Buffer.from(new ArrayBuffer(HALF + 1), 1).fill('x');
    Object.assign(journal ?? {}, { halves: [half, half] });
    for (const begin of [0, 2 * BLOCK]) await journal?.write(1, begin, begin + 10);
    journal?.close();
    const written = readFileSync(join(folder.path, 'journal')).subarray(BLOCK + HALF);
    const block = half.subarray(0, BLOCK);
    expect(written.equals(Buffer.concat([block, Buffer.alloc(BLOCK), block, Buffer.alloc(BLOCK)]))).toBe(true);
  });

  it('is not created where it cannot be', async () => {
    expect(await JournalFile.create(join(folder.path, 'missing'), HALF)).toBeUndefined();
  });
});
