import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { ManualClock } from '../testing/manual-clock.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { checkDataFile } from './check-data-file.js';
import { copyFiles, isCopyFile } from './copy-files.js';
import { openLmdbStore } from './open-lmdb-store.js';
import { keyOfIndex, tableOf } from './records.js';

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

const keysOf = async (store: KeyValueStore) =>
  (await store.range(everything)).kvs.map((kv) => `${kv.key}@${kv.modRevision}`);

describe('openLmdbStore', () => {
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
