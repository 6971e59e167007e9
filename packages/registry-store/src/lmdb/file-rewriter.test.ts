import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prefixEnd } from '../key-value-store.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { DataFile } from './data-file.js';
import { openEnvironment } from './environment.js';
import { FileRewriter } from './file-rewriter.js';
import { openLmdbStore } from './open-lmdb-store.js';

const everything = { start: '/', end: prefixEnd('/') };
let folder: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  folder = temporaryDirectory();
});
afterEach(() => folder[Symbol.dispose]());

const open = (smallFile?: number) =>
  openLmdbStore({ directory: folder.path, compactionInterval: 0, ...(smallFile === undefined ? {} : { smallFile }) });
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

  beforeEach(async () => {
    const path = join(folder.path, 'data.mdb');
    const database = await openEnvironment(path);
    await database.put(Buffer.from('a'), Buffer.from('v'));
    file = new DataFile(database, path);
    [attempts, allowed] = [0, 0];
    rewriter = new FileRewriter({
      ...{ fsync: true, small: 0, maxRatio: 0, file: () => file, use: () => {}, broken: () => {} },
      exclusively: async (work) => {
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
    for (let i = 0; i < 10; i++) {
      rewriter.consider();
      rewriter.consider();
      await sleep(20);
    }
    expect(attempts).toBe(1);
  });

  it('leaves nothing behind if it fails at the last step of its preparation', async () => {
    allowed = 1;
    rewriter.consider();
    await expect.poll(() => attempts).toBe(2);
    await rewriter.stop();
    expect(files().toSorted()).toEqual(['data.mdb', 'data.mdb-lock']);
  });

  it('fails silently if the folder is gone', async () => {
    rewriter.consider();
    rmSync(folder.path, { recursive: true });
    rewriter.consider();
    await sleep(100);
    expect([file.size(), rewriter.consider()]).toEqual([0, undefined]);
    expect(attempts).toBeLessThan(2);
  });
});
