import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { checkDataFile } from './check-data-file.js';
import { copyFiles, isCopyFile } from './copy-files.js';
import { openEnvironment } from './environment.js';
import { openLmdbStore } from './open-lmdb-store.js';
import { keyOfIndex, META_KEY, tableOf } from './records.js';

const everything = { start: '/', end: prefixEnd('/') };
let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory[Symbol.dispose]());

const clock = new ManualClock();
const open = () => openLmdbStore({ directory: join(directory.path, 'store'), clock, compactionInterval: 0 });

async function put(store: KeyValueStore, key: string, expectedRevision = 0, ttlSeconds = 0): Promise<void> {
  await store.commit({ type: 'put', key, value: Buffer.from(`v${expectedRevision}`), expectedRevision, ttlSeconds });
}

/** The files of a folder that this process has open. */
const openFilesOf = (folder: string) =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    const path = linkOf(`/proc/self/fd/${descriptor}`);
    return path.startsWith(folder) ? [path] : [];
  });

/** The descriptor of the listing itself is gone. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const keysOf = async (store: KeyValueStore) =>
  (await store.range(everything)).kvs.map((kv) => `${kv.key}@${kv.modRevision}`);

describe('openLmdbStore', () => {
  it.each(['data.mdb', 'data.mdb-lock'])('fails where %s is a folder', async (file) => {
    await (await open())[Symbol.asyncDispose]();
    const path = join(directory.path, 'store', file);
    rmSync(path);
    mkdirSync(path);
    await expect(open()).rejects.toMatchObject({ keyValueErrorCode: 'Unavailable' });
    rmSync(path, { recursive: true });
  });

  it('restores everything: values, revisions, history, compaction, times to live', async () => {
    {
      await using store = await open();
      await put(store, '/a');
      await put(store, '/a', 2);
      await put(store, '/b', 0, 60);
      await put(store, '/a', 3);
      await store.compact(3);
    }
    await using store = await open();
    expect([await keysOf(store), await store.currentRevision(), await store.compactedRevision()]).toEqual([
      ['/a@5', '/b@4'],
      5,
      3,
    ]);
    const sink = new RecordingSink();
    store.watch({ ...everything, fromRevision: 4 }, sink);
    expect(await sink.have(2)).toEqual(['put /b=v0 @4', 'put /a=v3 @5 before v2@3']);
    clock.advance(60_000);
    expect((await sink.have(3))[2]).toBe('delete /b @6 before v0@4');
    await put(store, '/c');
    expect(await keysOf(store)).toEqual(['/a@5', '/c@7']);
  });

  it('keeps nothing of a key whose deletion is compacted', async () => {
    await using store = await open();
    await put(store, '/a');
    await store.commit({ type: 'delete', key: '/a', expectedRevision: 2 });
    await put(store, '/b');
    const keys = (): readonly string[] => {
      const found: string[] = [];
      const entry = (key: Buffer) => void (tableOf(key) === 'index' && found.push(keyOfIndex(key)));
      checkDataFile(join(directory.path, 'store/data.mdb'), { fault: () => {}, entry });
      return found;
    };
    expect(keys()).toEqual(['/a', '/b']);
    await store.compact(4);
    await expect.poll(keys, { timeout: 30_000 }).toEqual(['/b']);
  });

  it('restricts the folder and files to the owner', async () => {
    await using _store = await open();
    const mode = (name: string) => (statSync(join(directory.path, name)).mode & 0o777).toString(8);
    const names = ['store', 'store/data.mdb', 'store/data.mdb-lock', 'store/lock.sqlite', 'store/CURRENT'];
    expect(names.map(mode)).toEqual(['700', '600', '600', '600', '600']);
  });

  it('removes the copies that a killed server has left', async () => {
    const folder = join(directory.path, 'store');
    {
      await using _store = await open();
    }
    const { part, copy } = copyFiles(folder, '6d1f8f0e-4f0a-4c58-9d2c-3f7b5a1c9e00');
    mkdirSync(part);
    writeFileSync(join(part, 'data.mdb'), 'half');
    writeFileSync(copy, 'content');
    await using _store = await open();
    expect(readdirSync(folder).filter(isCopyFile)).toEqual([]);
  });

  it('rejects a folder that is in use, and accepts it when it is free', async () => {
    const first = await open();
    await expect(open()).rejects.toMatchObject({
      keyValueErrorCode: 'InUse',
      message: `${join(directory.path, 'store')} is in use by another process`,
    });
    await first[Symbol.asyncDispose]();
    await (await open())[Symbol.asyncDispose]();
  });

  it('reports the fault of a folder', async () => {
    writeFileSync(join(directory.path, 'store'), 'a file');
    await expect(open()).rejects.toMatchObject({ keyValueErrorCode: 'Unavailable' });
  });

  it('rejects a folder that is not a store, and leaves it unchanged', async () => {
    mkdirSync(join(directory.path, 'store'));
    writeFileSync(join(directory.path, 'store/data.mdb'), Buffer.alloc(65_536, 0x55));
    await expect(open()).rejects.toMatchObject({ keyValueErrorCode: 'Corrupt' });
    expect(statSync(join(directory.path, 'store/data.mdb')).size).toBe(65_536);
  });

  it('rejects a key that LMDB cannot hold, and continues', async () => {
    await using store = await open();
    await expect(put(store, `/${'k'.repeat(3000)}`)).rejects.toMatchObject({ keyValueErrorCode: 'TooLarge' });
    await put(store, '/a');
    expect(await keysOf(store)).toEqual(['/a@2']);
  });

  it.each([
    ['of ASCII characters', 'k'.repeat(1958), 'k'.repeat(1959)],
    ['of three bytes each', '€'.repeat(652), `${'€'.repeat(653)}`],
    ['of both', `${'€'.repeat(652)}kk`, `${'€'.repeat(652)}kkk`],
  ])('reads the longest key that it accepts, and finds nothing under a longer one: %s', async (_, longest, longer) => {
    await using store = await open();
    await put(store, `/${longest}`);
    expect((await store.get(`/${longest}`)).kv?.modRevision).toBe(2);
    await expect(put(store, `/${longer}`)).rejects.toMatchObject({ message: 'the key is too long' });
    expect((await store.get(`/${longer}`)).kv).toBeUndefined();
    expect((await store.get(`/${longer.repeat(99)}`)).kv).toBeUndefined();
  });

  it('is free again after it could not be opened', async () => {
    mkdirSync(join(directory.path, 'store'));
    writeFileSync(join(directory.path, 'store/data.mdb'), 'no store');
    await expect(open()).rejects.toMatchObject({ keyValueErrorCode: 'Corrupt' });
    rmSync(join(directory.path, 'store/data.mdb'));
    await using store = await open();
    expect(await store.currentRevision()).toBe(1);
  });

  it.runIf(process.platform === 'linux')('keeps no file open when a later step fails', async () => {
    const folder = join(directory.path, 'store');
    await (await open())[Symbol.asyncDispose]();
    const database = await openEnvironment(join(folder, 'data.mdb'));
    await database.put(META_KEY, Buffer.from('damaged'));
    await database.close();
    await expect(open()).rejects.toMatchObject({ keyValueErrorCode: 'Corrupt' });
    expect(openFilesOf(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
    const wrapTables = () => {
      throw new Error('no tables');
    };
    await expect(openLmdbStore({ directory: folder, clock, wrapTables })).rejects.toMatchObject({
      keyValueErrorCode: 'Unavailable',
    });
    expect(openFilesOf(folder)).toEqual([]);
    await using store = await open();
    expect(await store.currentRevision()).toBe(1);
  });

  it('reports a lock file that is none', async () => {
    mkdirSync(join(directory.path, 'store'));
    writeFileSync(join(directory.path, 'store/lock.sqlite'), 'no database'.repeat(100));
    await expect(open()).rejects.toMatchObject({
      keyValueErrorCode: 'Unavailable',
      message: `cannot open the store in ${join(directory.path, 'store')}`,
      cause: expect.objectContaining({ message: expect.stringContaining('not a database') }),
    });
  });

  it('stops when its file is gone, which it notices within a second', async () => {
    await using store = await open();
    await put(store, '/a');
    const file = join(directory.path, 'store/data.mdb');
    renameSync(file, `${file}.old`);
    const now = performance.now();
    using _now = vi.spyOn(performance, 'now').mockReturnValue(now + 2000);
    await expect(put(store, '/b')).rejects.toMatchObject({
      keyValueErrorCode: 'Unavailable',
      message: `${file} was removed or replaced while it was in use`,
    });
  });

  it('keeps every write of the time in which its file is rewritten', async () => {
    const folder = join(directory.path, 'store');
    const options = { directory: folder, clock, compactionInterval: 0, fsync: false };
    const key = (i: number) => `/${String(i).padStart(4, '0')}`;
    const write = (store: KeyValueStore, type: 'put' | 'delete', i: number, expectedRevision: number) =>
      store.commit({ type, key: key(i), value: Buffer.from(`v${expectedRevision}`), expectedRevision });
    const expected = new Map<string, string>();
    {
      await using store = await openLmdbStore({ ...options, smallFile: 0, maxRatio: 0 });
      await Promise.all(Array.from({ length: 1500 }, (_, i) => write(store, 'put', i, 0)));
      for (let i = 0; i < 1500; i++) expected.set(key(i), `v0@${i + 2}`);
      const compacted = store.compact(await store.currentRevision());
      // The copy takes a turn for each of its slices.
      for (let i = 0; existsSync(join(folder, 'data.mdb')) && i < 700; i++) {
        const low = (i * 7) % 300;
        const { kv } = await store.get(key(low));
        const result = await write(store, 'put', low, kv?.modRevision ?? 0);
        expected.set(key(low), `v${kv?.modRevision}@${result.revision}`);
        await write(store, 'delete', 1499 - i, 1501 - i);
        expected.delete(key(1499 - i));
      }
      await compacted;
      await expect.poll(() => existsSync(join(folder, 'data.mdb'))).toBe(false);
    }
    await using store = await openLmdbStore(options);
    const { kvs } = await store.range(everything);
    const found = kvs.map((kv) => [kv.key, `${Buffer.from(kv.value)}@${kv.modRevision}`]);
    expect(found).toEqual([...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });

  it('copies itself for another process, until it is closed', async () => {
    const folder = join(directory.path, 'store');
    const store = await openLmdbStore({ directory: folder, clock, compactionInterval: 0, copyInterval: 5 });
    await put(store, '/a');
    const files = copyFiles(folder, '6d1f8f0e-4f0a-4c58-9d2c-3f7b5a1c9e00');
    writeFileSync(files.request, '');
    await expect.poll(() => existsSync(files.copy)).toBe(true);
    const copy = join(directory.path, 'copy');
    mkdirSync(copy);
    renameSync(files.copy, join(copy, 'data.mdb'));
    {
      await using copied = await openLmdbStore({ directory: copy, clock, compactionInterval: 0 });
      expect(await keysOf(copied)).toEqual(['/a@2']);
    }
    rmSync(files.request);
    await store[Symbol.asyncDispose]();
    const late = copyFiles(folder, '6d1f8f0e-4f0a-4c58-9d2c-3f7b5a1c9e01');
    writeFileSync(late.request, '');
    await sleep(50);
    expect([existsSync(late.copy), existsSync(late.error)]).toEqual([false, false]);
  });

  it('wraps its tables, and reports once that it cannot be trusted', async () => {
    const failures: unknown[] = [];
    let fail = false;
    await using store = await openLmdbStore({
      directory: join(directory.path, 'store'),
      clock,
      compactionInterval: 0,
      failed: (error) => void failures.push(error.message),
      wrapTables: (tables) => {
        const commit = tables.commit.bind(tables);
        tables.commit = async (writes) => (fail ? Promise.reject(new Error('no disk')) : await commit(writes));
        return tables;
      },
    });
    await put(store, '/a');
    fail = true;
    for (let i = 0; i < 2; i++) await expect(put(store, '/b')).rejects.toThrow('no disk');
    expect(failures).toEqual(['no disk']);
  });

  it('grows its map under reads, watches and a long range', async () => {
    await using store = await open();
    const sink = new RecordingSink();
    store.watch(everything, sink);
    const value = (i: number) => Buffer.alloc(200_000, i);
    const write = async (i: number) =>
      await store.commit({ type: 'put', key: `/${String(i).padStart(3, '0')}`, value: value(i), expectedRevision: 0 });
    await write(0);
    const first = await store.get('/000');
    // LMDB's map begins with 128 KiB.
    for (let i = 1; i < 150; i += 3) {
      const [range] = await Promise.all([store.range(everything), write(i), write(i + 1), write(i + 2)]);
      expect(range.kvs.every((kv, at) => Buffer.compare(kv.value, value(at)) === 0)).toBe(true);
    }
    expect(Buffer.compare(first.kv?.value ?? Buffer.alloc(0), value(0))).toBe(0);
    expect(sink.events.length).toBe(151);
    expect(await store.size?.()).toBeGreaterThan(150 * 200_000);
  });
});
