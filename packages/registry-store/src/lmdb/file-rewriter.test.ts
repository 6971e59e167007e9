import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prefixEnd } from '../key-value-store.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import type { DataCopy } from './data-copy.js';
import { DataFile } from './data-file.js';
import { bytesInFile } from './data-usage.js';
import { EntryCursor } from './entry-cursor.js';
import { openEnvironment } from './environment.js';
import { FileRewriter, MAX_RATIO } from './file-rewriter.js';
import { openLmdbStore } from './open-lmdb-store.js';

const everything = { start: '/', end: prefixEnd('/') };
let folder: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  folder = temporaryDirectory();
});
afterEach(() => folder[Symbol.dispose]());

const open = (smallFile?: number) =>
  openLmdbStore({
    directory: folder.path,
    compactionInterval: 0,
    ...(smallFile !== undefined && { smallFile, maxRatio: MAX_RATIO }),
  });
const files = () => readdirSync(folder.path).filter((name) => !name.startsWith('lock.sqlite'));
const current = () => readFileSync(join(folder.path, 'CURRENT'), 'utf8');

/** Writes one key, so that a rewrite may follow, and waits until another file is the store. */
async function rewrite(store: Awaited<ReturnType<typeof open>>, key: string): Promise<void> {
  const before = current();
  const { kv } = await store.get(key);
  await store.commit({ type: 'put', key, value: Buffer.from('v'), expectedRevision: kv?.modRevision ?? 0 });
  await store.compact(await store.currentRevision());
  await expect.poll(current).not.toBe(before);
}

describe('a data file', () => {
  it('is replaced under watches and reads of the past', async () => {
    await using store = await open(0);
    const sink = new RecordingSink();
    store.watch(everything, sink);
    await rewrite(store, '/a');
    await rewrite(store, '/b');
    await rewrite(store, '/a');
    expect(sink.events).toEqual(['put /a=v @2', 'put /b=v @3', 'put /a=v @4 before v@2']);
    expect((await store.range({ ...everything, revision: 4 })).kvs.map(({ key }) => key)).toEqual(['/a', '/b']);
  });

  it('is removed with its lock file when it is no longer the store', async () => {
    {
      await using store = await open(0);
      await rewrite(store, '/a');
    }
    // Late pruning may have caused another rewrite.
    const name = current().trim();
    expect(name).not.toBe('data.mdb');
    expect(files().toSorted()).toEqual(['CURRENT', name, `${name}-lock`]);
  });

  it('of an interrupted rewrite is removed at the next start', async () => {
    await (await open())[Symbol.asyncDispose]();
    for (const name of ['data-1.mdb', 'data-1.mdb-lock', 'CURRENT.new', 'lock.mdb', 'data.txt']) {
      writeFileSync(join(folder.path, name), 'left');
    }
    await using store = await open();
    expect(files().toSorted()).toEqual(['CURRENT', 'data.mdb', 'data.mdb-lock', 'data.txt']);
    expect(await store.currentRevision()).toBe(1);
  });

  it('of a store without CURRENT is the existing one', async () => {
    {
      await using store = await open();
      await store.commit({ type: 'put', key: '/a', value: Buffer.from('v'), expectedRevision: 0 });
    }
    rmSync(join(folder.path, 'CURRENT'));
    await using store = await open();
    expect([await store.currentRevision(), current()]).toEqual([2, 'data.mdb\n']);
  });

  it.each([
    ['names another file', { CURRENT: 'lock.sqlite\n', 'data.mdb': '' }, 'CURRENT does not name a data file'],
    ['names a file that is missing', { CURRENT: 'data-2.mdb\n', 'data-1.mdb': 'x' }, 'data-2.mdb is missing or empty'],
    ['names a file that is empty', { CURRENT: 'data.mdb\n', 'data.mdb': '' }, 'data.mdb is missing or empty'],
    ['is missing', { 'data-3.mdb': 'x' }, 'CURRENT, which says which of data-3.mdb is the store, is missing'],
  ])('is not guessed at when CURRENT %s', async (_name, files, message) => {
    mkdirSync(folder.path, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
    await expect(open()).rejects.toMatchObject({
      keyValueErrorCode: 'Corrupt',
      message: expect.stringContaining(message),
    });
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(folder.path, name), 'utf8')).toBe(text);
  });
});

describe('a failing rewrite', () => {
  let file: DataFile;
  let attempts: number;
  /** Number of operations that succeed before all others fail. */
  let allowed: number;
  let rewriter: FileRewriter;
  /** The copy in progress, at each attempt. */
  let copies: (DataCopy | undefined)[];

  beforeEach(async () => {
    const path = join(folder.path, 'data.mdb');
    const database = await openEnvironment(path);
    await database.put(Buffer.from('a'), Buffer.from('v'));
    file = new DataFile(database, path);
    [attempts, allowed, copies] = [0, 0, []];
    rewriter = new FileRewriter({
      fsync: true,
      small: 0,
      maxRatio: 0,
      maxRatioInUse: 0,
      file: () => file,
      use: () => {},
      broken: () => {},
      exclusively: async (work) => {
        copies.push(rewriter.copy);
        if (++attempts > allowed) throw new Error('nobody is let in');
        return work();
      },
    });
  });
  afterEach(async () => {
    await rewriter.stop();
    await file.database.close();
  });

  it('copies to another file only with enough space, and before the end', async () => {
    const path = join(folder.path, 'copy.mdb');
    const size = vi.spyOn(file, 'size').mockReturnValue(Number.MAX_SAFE_INTEGER);
    await expect(rewriter.copyTo(path)).rejects.toThrow(
      new RangeError('a copy of the store needs more space than there is'),
    );
    size.mockRestore();
    await rewriter.copyTo(path);
    rmSync(path);
    await rewriter.stop();
    await expect(rewriter.copyTo(path)).rejects.toThrow(new RangeError('the store is closed'));
    expect(files()).not.toContain('copy.mdb');
  });

  it('is not retried at once, however often it is requested', async () => {
    rewriter.consider();
    rewriter.consider();
    // A copy waits until the rewrite has failed.
    await rewriter.copyTo(join(folder.path, 'copy.mdb'));
    using looked = vi.spyOn(file, 'size');
    for (let i = 0; i < 10; i++) rewriter.consider();
    expect([attempts, looked.mock.calls.length]).toEqual([1, 0]);
  });

  it('leaves nothing behind if it fails at the last step of its preparation', async () => {
    allowed = 1;
    rewriter.consider();
    await expect.poll(() => attempts).toBe(2);
    await rewriter.stop();
    expect(files().toSorted()).toEqual(['data.mdb', 'data.mdb-lock']);
  });

  it('is not begun once the rewriter is stopped', async () => {
    await rewriter.stop();
    using looked = vi.spyOn(file, 'size');
    rewriter.consider();
    await expect(rewriter.copyTo(join(folder.path, 'copy.mdb'))).rejects.toThrow(new RangeError('the store is closed'));
    expect([attempts, looked.mock.calls.length]).toEqual([0, 0]);
  });

  it('leaves no copy that would be told of later commits', async () => {
    allowed = 1;
    rewriter.consider();
    await expect.poll(() => attempts).toBe(2);
    await rewriter.stop();
    expect([copies.map((copy) => copy !== undefined), rewriter.copy]).toEqual([[false, true], undefined]);
  });

  it('fails silently if the folder is gone', async () => {
    rewriter.consider();
    rmSync(folder.path, { recursive: true });
    rewriter.consider();
    await expect(rewriter.copyTo(join(folder.path, 'copy.mdb'))).rejects.toThrow('ENOENT');
    expect([file.size(), rewriter.consider()]).toEqual([0, undefined]);
    expect(attempts).toBeLessThan(2);
  });
});

describe('a rewrite', () => {
  const opened: DataFile[] = [];
  let file: DataFile;
  let looked: number;
  let broken: unknown[];
  const rewriterWith = ({ maxRatio = 0, ...changes }: Partial<ConstructorParameters<typeof FileRewriter>[0]>) =>
    new FileRewriter({
      fsync: true,
      small: 0,
      maxRatio,
      maxRatioInUse: maxRatio,
      file: () => {
        looked++;
        return file;
      },
      exclusively: async (work) => await work(),
      use: (other) => {
        file = other;
        opened.push(other);
      },
      broken: (error) => void broken.push(error),
      ...changes,
    });

  beforeEach(async () => {
    const path = join(folder.path, 'data.mdb');
    const database = await openEnvironment(path);
    await database.put(Buffer.from('a'), Buffer.from('v'));
    file = new DataFile(database, path);
    opened.push(file);
    [looked, broken] = [0, []];
  });
  afterEach(async () => {
    for (const { database } of opened.splice(0)) await database.close();
  });

  const contents = ({ database }: DataFile) => Array.from(database.getRange({}), ({ key, value }) => `${key}=${value}`);

  it('starts over, and removes the rest of an interrupted one', async () => {
    const left = await openEnvironment(join(folder.path, 'data-1.mdb'));
    await left.put(Buffer.from('b'), Buffer.from('of another'));
    await left.close();
    const old = file;
    const rewriter = rewriterWith({});
    rewriter.consider();
    await expect.poll(() => file).not.toBe(old);
    await rewriter.stop();
    expect([contents(file), current(), broken]).toEqual([['a=v'], 'data-1.mdb\n', []]);
  });

  it.each([
    ['is as small as files may be', 0, 0],
    ['is larger by a byte', 1, 1],
  ])('depends on the size: the file %s', async (_, larger, rewrites) => {
    const rewriter = rewriterWith({ small: file.size() - larger });
    using counted = vi.spyOn(EntryCursor.prototype, 'next');
    rewriter.consider();
    // The first step of a count is taken at once.
    expect(counted).toHaveBeenCalledTimes(rewrites);
    if (rewrites > 0) await expect.poll(() => current()).toBe('data-1.mdb\n');
    await rewriter.stop();
    expect(opened.length).toBe(1 + rewrites);
  });

  it('depends on the ratio: a file that is not much larger than its content stays', async () => {
    const ratio = file.size() / bytesInFile(1, 1);
    const kept = rewriterWith({ maxRatio: ratio });
    kept.consider();
    await kept.copyTo(join(folder.path, 'copy.mdb'));
    kept.consider();
    await kept.stop();
    expect(opened.length).toBe(1);
    const rewriter = rewriterWith({ maxRatio: ratio * 0.99 });
    rewriter.consider();
    await expect.poll(() => current()).toBe('data-1.mdb\n');
    await rewriter.stop();
  });

  describe('of a file that is too large only for one at rest', () => {
    /** The largest ratio without a rewrite, and a ratio that needs one. */
    const fresh = () => bytesInFile(1, 1);
    const atRest = () => ({ maxRatio: (file.size() / fresh()) * 0.99, maxRatioInUse: file.size() / fresh() });
    /** The looks that are planned, which are due when they are called. */
    const looks: (() => void)[] = [];
    beforeEach(() => {
      const original = setTimeout;
      vi.spyOn(globalThis, 'setTimeout').mockImplementation((run, milliseconds, ...rest) => {
        const isLook = milliseconds === 5000;
        if (isLook) looks.push(run);
        return original(run, isLook ? 2 ** 30 : milliseconds, ...rest);
      });
    });
    afterEach(() => {
      vi.restoreAllMocks();
      looks.length = 0;
    });
    const planned = (count: number) => expect.poll(() => looks.length).toBe(count);
    const rewritten = () => expect.poll(() => opened.length).toBe(2);

    it('waits until little is written', async () => {
      const rewriter = rewriterWith(atRest());
      rewriter.consider();
      rewriter.consider();
      for (let look = 1; look <= 3; look++) {
        await planned(look);
        for (let i = 0; i < 8; i++) rewriter.committed();
        looks.at(-1)?.();
      }
      await planned(4);
      expect(opened.length).toBe(1);
      for (let i = 0; i < 7; i++) rewriter.committed();
      looks.at(-1)?.();
      await rewritten();
      await rewriter.stop();
    });

    it('is not begun after a stop', async () => {
      const rewriter = rewriterWith(atRest());
      rewriter.consider();
      await planned(1);
      await rewriter.stop();
      looks[0]?.();
      expect([opened.length, rewriter.copy]).toEqual([1, undefined]);
      await rewriter.stop();
    });

    it('does not wait if it is too large for one in use', async () => {
      const { maxRatio } = atRest();
      const rewriter = rewriterWith({ maxRatio: maxRatio / 2, maxRatioInUse: maxRatio });
      rewriter.consider();
      await rewritten();
      await rewriter.stop();
    });
  });

  it('is considered once more if much was removed during the last one, however often', async () => {
    const rewriter = rewriterWith({ maxRatio: 1_000_000 });
    rewriter.consider();
    expect(looked).toBe(1);
    rewriter.consider();
    rewriter.consider();
    expect(looked).toBe(1);
    await expect.poll(() => looked).toBe(2);
    await eventLoopTurns();
    expect(looked).toBe(2);
    rewriter.consider();
    expect(looked).toBe(3);
    await rewriter.stop();
  });

  it('counts again once many entries are gone', async () => {
    const { database } = file;
    for (const key of ['b', 'c', 'd']) await database.put(Buffer.from(key), Buffer.from('v'));
    const rewriter = rewriterWith({ maxRatio: file.size() / (4 * bytesInFile(1, 1)) });
    using counted = vi.spyOn(EntryCursor.prototype, 'next');
    const counts = async (copy: string) => {
      const before = counted.mock.calls.length;
      rewriter.consider();
      await rewriter.copyTo(join(folder.path, copy));
      return counted.mock.calls.length - before;
    };
    expect([await counts('copy-1.mdb'), await counts('copy-2.mdb')]).toEqual([2, 0]);
    const size = file.size();
    using _size = vi.spyOn(file, 'size').mockReturnValue(size);
    await database.remove(Buffer.from('b'));
    expect(await counts('copy-3.mdb')).toBeGreaterThan(0);
    await rewriter.stop();
  });

  it('rests after each step of a count', async () => {
    const rewriter = rewriterWith({ maxRatio: 1 });
    const steps: { readonly begun: number; readonly ended: number }[] = [];
    const entries = [{ key: Buffer.from('k'), value: Buffer.from('v') }];
    using _next = vi.spyOn(EntryCursor.prototype, 'next').mockImplementation(() => {
      const begun = performance.now();
      while (performance.now() < begun + 2);
      steps.push({ begun, ended: performance.now() });
      return { entries: steps.length < 4 ? entries : [], bytes: 1_000_000_000 };
    });
    rewriter.consider();
    await expect.poll(() => steps.length).toBe(4);
    await rewriter.stop();
    const rests = steps.slice(1).map(({ begun }, i) => begun - (steps[i]?.ended ?? 0));
    // A timer may fire a millisecond early.
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(9);
  });

  it('ends a rest when it is stopped', async () => {
    const rewriter = rewriterWith({ maxRatio: 1 });
    using counted = vi.spyOn(EntryCursor.prototype, 'next');
    rewriter.consider();
    await rewriter.stop();
    expect(counted).toHaveBeenCalledTimes(1);
  });

  it('says so if its folder cannot be made durable', async () => {
    const away = `${folder.path}-away`;
    const rewriter = rewriterWith({
      use: (other) => {
        opened.push(other);
        renameSync(folder.path, away);
      },
    });
    rewriter.consider();
    await expect.poll(() => broken).toMatchObject([{ code: 'ENOENT' }]);
    await rewriter.stop();
    renameSync(away, folder.path);
  });

  it('does not make the folder durable without fsync', async () => {
    const away = `${folder.path}-away`;
    const rewriter = rewriterWith({
      fsync: false,
      use: (other) => {
        opened.push(other);
        renameSync(folder.path, away);
      },
    });
    rewriter.consider();
    await expect.poll(() => opened.length).toBe(2);
    await rewriter.stop();
    renameSync(away, folder.path);
    expect(broken).toEqual([]);
  });

  it('waits for a copy, which holds everything, and delays the next', async () => {
    const path = join(folder.path, 'copy.mdb');
    const rewriter = rewriterWith({});
    const copied = rewriter.copyTo(path);
    rewriter.consider();
    expect(looked).toBe(1);
    await copied;
    await expect.poll(() => current()).toBe('data-1.mdb\n');
    await rewriter.copyTo(join(folder.path, 'copy-2.mdb'));
    await rewriter.stop();
    for (const name of ['copy.mdb', 'copy-2.mdb']) {
      const database = await openEnvironment(join(folder.path, name), { readOnly: true });
      expect(Array.from(database.getRange({}), ({ key, value }) => `${key}=${value}`)).toEqual(['a=v']);
      await database.close();
    }
  });

  it('and a copy need as much space as the content', async () => {
    const huge = Object.assign(Object.create(file) as DataFile, { size: () => 2 ** 60 });
    const rewriter = rewriterWith({ file: () => huge });
    const reason = new RangeError('a copy of the store needs more space than there is');
    await expect(rewriter.copyTo(join(folder.path, 'copy.mdb'))).rejects.toThrow(reason);
    await rewriter.stop();
  });
});
