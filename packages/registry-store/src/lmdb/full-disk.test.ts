import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { smallFileSystem } from '../testing/small-file-system.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { openLmdbStore } from './open-lmdb-store.js';

const put = (store: KeyValueStore, key: string, size: number) =>
  store.commit({ type: 'put', key, value: Buffer.alloc(size, 1), expectedRevision: 0 });

/** Writes until the disk is full; returns the revision of the last successful write, and the error. */
async function fill(store: KeyValueStore): Promise<{ readonly last: number; readonly error: unknown }> {
  let last = 1;
  for (let i = 0; i < 2000; i++) {
    try {
      const result = await put(store, `/k/${i}`, 2000);
      last = result.revision;
    } catch (error) {
      return { last, error };
    }
  }
  throw new Error('the disk is not full');
}

it('rejects writes on a full disk without a trace, and continues with what fits', async (context) => {
  using directory = temporaryDirectory();
  using disk = smallFileSystem(directory.path, '600k');
  if (disk === undefined) return context.skip('mounting a small file system is not allowed here');
  const open = () => openLmdbStore({ directory: join(directory.path, 'store'), compactionInterval: 0 });
  {
    await using store = await open();
    const { last, error } = await fill(store);
    expect(error).toMatchObject({ keyValueErrorCode: 'NoSpace' });
    const { count } = await store.range({ start: '/', end: '0', limit: 1, count: true });
    expect([await store.currentRevision(), count]).toEqual([last, last - 1]);
    expect(await put(store, '/small', 1)).toEqual({ committed: true, revision: last + 1 });
  }
  await using store = await open();
  expect((await store.get('/small')).kv?.modRevision).toBe(await store.currentRevision());
});

it('keeps the data file if the disk is full while another one is written', async (context) => {
  using directory = temporaryDirectory();
  using disk = smallFileSystem(directory.path, '200m');
  if (disk === undefined) return context.skip('mounting a small file system is not allowed here');
  const path = join(directory.path, 'store');
  const open = () => openLmdbStore({ directory: path, compactionInterval: 0 });
  const ballast = join(directory.path, 'ballast');
  const kept = Array.from({ length: 60 }, (_, i) => `/kept/${i}`);
  const revisions = async (store: KeyValueStore) =>
    Promise.all(kept.map(async (key) => (await store.get(key)).kv?.modRevision));
  let expected: readonly (number | undefined)[];
  {
    await using store = await open();
    for (let i = 0; i < 240; i++) await put(store, `/removed/${i}`, 100_000);
    for (const key of kept) await put(store, key, 100_000);
    for (let i = 0; i < 240; i++) await store.commit({ type: 'delete', key: `/removed/${i}`, expectedRevision: i + 2 });
    await store.compact(await store.currentRevision());
    while (!existsSync(join(path, 'data-1.mdb'))) await setImmediate();
    const { bavail, bsize } = statfsSync(directory.path);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    await expect.poll(() => existsSync(join(path, 'data-1.mdb'))).toBe(false);
    // The journal has room.
    expect(await put(store, '/small', 1)).toMatchObject({ committed: true });
    expected = await revisions(store);
    rmSync(ballast);
  }
  await using store = await open();
  expect([await revisions(store), (await store.get('/small')).kv !== undefined]).toEqual([expected, true]);
  expect(expected).not.toContain(undefined);
});

it('takes writes until the journal is full too, and loses none of them', async (context) => {
  using outside = temporaryDirectory();
  using directory = temporaryDirectory();
  using disk = smallFileSystem(directory.path, '72m');
  if (disk === undefined) return context.skip('mounting a small file system is not allowed here');
  const open = () =>
    openLmdbStore({ directory: join(directory.path, 'store'), compactionInterval: 0, journalAfter: 0 });
  const ballast = join(directory.path, 'ballast');
  let last: number;
  {
    await using store = await open();
    await put(store, '/first', 1);
    const { bavail, bsize } = statfsSync(directory.path);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 300_000));
    const filled = await fill(store);
    last = filled.last;
    expect(filled.error).toMatchObject({ keyValueErrorCode: 'NoSpace' });
    const { count } = await store.range({ start: '/', end: '0', limit: 1, count: true });
    expect([await store.currentRevision(), count]).toEqual([last, last - 1]);
    // As a kill would leave it.
    cpSync(join(directory.path, 'store'), join(outside.path, 'store'), { recursive: true });
    rmSync(ballast);
    expect(await put(store, '/small', 1)).toEqual({ committed: true, revision: last + 1 });
  }
  for (const [path, revision] of [
    [directory.path, last + 1],
    [outside.path, last],
  ] as const) {
    await using store = await openLmdbStore({ directory: join(path, 'store'), compactionInterval: 0 });
    const { count } = await store.range({ start: '/', end: '0', limit: 1, count: true });
    expect([await store.currentRevision(), count]).toEqual([revision, revision - 1]);
  }
});

// LMDB itself would kill the process where its lock file has room, but not its first pages.
it.for(['4k', '12k', '20k', '24k'])(
  'does not open on a full disk of %s, and opens when there is space',
  async (size, context) => {
    using directory = temporaryDirectory();
    using disk = smallFileSystem(directory.path, size);
    if (disk === undefined) return context.skip('mounting a small file system is not allowed here');
    const open = () => openLmdbStore({ directory: join(directory.path, 'store'), compactionInterval: 0 });
    await expect(open()).rejects.toMatchObject({ keyValueErrorCode: 'Unavailable', cause: { code: 'ENOSPC' } });
    execFileSync('mount', ['-o', 'remount,size=1m', directory.path]);
    await using store = await open();
    expect(await put(store, '/k', 1)).toEqual({ committed: true, revision: 2 });
  },
);
