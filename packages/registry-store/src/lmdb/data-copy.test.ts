import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { DataCopy } from './data-copy.js';
import { bytesInFile } from './data-usage.js';
import { EntryCursor } from './entry-cursor.js';
import { type LmdbDatabase, openEnvironment } from './environment.js';

const folder = temporaryDirectory();
let source: LmdbDatabase;
let target: LmdbDatabase;
let files = 0;

beforeEach(async () => {
  const open = () => openEnvironment(join(folder.path, `${files++}.mdb`), { fsync: false });
  [source, target] = [await open(), await open()];
});
afterEach(async () => {
  await source.close();
  await target.close();
  vi.restoreAllMocks();
});
afterAll(() => folder[Symbol.dispose]());

const keyOf = (i: number) => Buffer.from([0x20, i >> 8, i & 255]);

/** Writes keys by number, with one value for all; undefined removes them. */
async function write(keys: readonly number[], value: string | Buffer | undefined): Promise<readonly Buffer[]> {
  const changed = keys.map(keyOf);
  await source.batch(() => {
    for (const key of changed) {
      void (value === undefined ? source.remove(key) : source.put(key, Buffer.from(value))).catch(() => {});
    }
  });
  return changed;
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);
const contents = (database: LmdbDatabase) =>
  Array.from(database.getRange({}), ({ key, value }) => `${key.toString('hex')}=${value.toString('latin1')}`);

describe('a copy', () => {
  it('has everything, and says how much that is', async () => {
    await write(numbers(600), 'v');
    await write([600], Buffer.alloc(600_000, 'x'));
    const copy = new DataCopy(source, target, new AbortController().signal);
    expect(await copy.copy()).toEqual({ entries: 601, bytes: 600 * bytesInFile(3, 1) + bytesInFile(3, 600_000) });
    await copy.finish();
    expect(contents(target)).toEqual(contents(source));
  });

  it('of nothing is nothing', async () => {
    const copy = new DataCopy(source, target, new AbortController().signal);
    expect(await copy.copy()).toEqual({ entries: 0, bytes: 0 });
    await copy.finish();
    expect(contents(target)).toEqual([]);
  });

  it('has all changes since it began: new, other and removed values', async () => {
    await write(numbers(600), 'old');
    const copy = new DataCopy(source, target, new AbortController().signal);
    copy.note(await write([0, 300, 700, 800], 'new'));
    copy.note(await write([1, 301, 800], undefined));
    await copy.copy();
    copy.note(await write([2, 900], 'late'));
    copy.note(await write([3], undefined));
    await copy.finish();
    expect(contents(target)).toEqual(contents(source));
  });

  it('leaves no more changes for its end than fit into one commit', async () => {
    const copy = new DataCopy(source, target, new AbortController().signal);
    copy.note(await write(numbers(1700), 'v'));
    const batches = vi.spyOn(target, 'batch');
    await copy.copy();
    expect([batches.mock.calls.length, contents(target).length]).toEqual([3, 1500]);
    await copy.finish();
    expect([batches.mock.calls.length, contents(target)]).toEqual([4, contents(source)]);
  });

  it('leaves 500 changes for its end, and does it then in one commit', async () => {
    const copy = new DataCopy(source, target, new AbortController().signal);
    copy.note(await write(numbers(500), 'v'));
    const batches = vi.spyOn(target, 'batch');
    await copy.copy();
    expect(batches.mock.calls.length).toBe(0);
    await copy.finish();
    await copy.finish();
    expect([batches.mock.calls.length, contents(target).length]).toEqual([1, 500]);
  });

  it('commits large values four megabytes at a time', async () => {
    const copy = new DataCopy(source, target, new AbortController().signal);
    copy.note(await write(numbers(9), Buffer.alloc(1024 * 1024)));
    const batches = vi.spyOn(target, 'batch');
    await copy.finish();
    expect([batches.mock.calls.length, contents(target).length]).toEqual([3, 9]);
  });

  it('ends when it is cancelled, with the reason', async () => {
    await write([1], 'v');
    const cancel = new AbortController();
    const copy = new DataCopy(source, target, cancel.signal);
    cancel.abort(new RangeError('enough'));
    await expect(copy.copy()).rejects.toThrow('enough');
    await expect(copy.finish()).rejects.toThrow('enough');
  });

  it('gives up on writers that are faster', async () => {
    const keys = numbers(501).map(keyOf);
    let rounds = 0;
    const empty = { resetReadTxn: () => {}, getKeys: () => [], getRange: () => [], getBinary: () => undefined };
    const busy = {
      batch: async (work: () => void) => {
        work();
        rounds++;
        copy.note(keys);
      },
      remove: async () => true,
    };
    const fakes = [empty, busy] as unknown as [LmdbDatabase, LmdbDatabase];
    const copy = new DataCopy(...fakes, new AbortController().signal);
    copy.note(keys);
    await expect(copy.copy()).rejects.toThrow(new RangeError('writers are faster than the copy'));
    expect(rounds).toBe(1000);
  });
});

describe('a cursor', () => {
  const rest = (cursor: EntryCursor) => {
    const sizes: number[] = [];
    for (;;) {
      const { entries } = cursor.next();
      sizes.push(entries.length);
      if (entries.length === 0) return sizes;
    }
  };

  it.each([
    ['256 entries', 600, 1, [256, 256, 88, 0]],
    ['half a megabyte', 7, 200_000, [3, 3, 1, 0]],
  ])('returns %s at a time', async (_, count, size, expected) => {
    await write(numbers(count), Buffer.alloc(size));
    expect(rest(new EntryCursor(source))).toEqual(expected);
  });

  it('returns what is there at the time, up to the last key of its beginning', async () => {
    await write(numbers(300), 'old');
    const cursor = new EntryCursor(source);
    expect(cursor.next().entries.length).toBe(256);
    await write([0, 299, 300], 'new');
    await write([256], undefined);
    source.resetReadTxn();
    const { entries, bytes } = cursor.next();
    expect(entries.map(({ key, value }) => [key.readUInt16BE(1), value.toString()])).toEqual([
      ...numbers(42, 257).map((number) => [number, 'old']),
      [299, 'new'],
    ]);
    expect(bytes).toBe(43 * bytesInFile(3, 3));
    expect(cursor.next()).toEqual({ entries: [], bytes: 0 });
  });
});
