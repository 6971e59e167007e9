import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackupOptions, backUpStore } from '../backup/back-up-store.js';
import { restoreStore } from '../backup/restore-store.js';
import { checkStore } from '../check/check-store.js';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { checkDataFile } from './check-data-file.js';
import { currentDataFile } from './data-files.js';
import { openEnvironment } from './environment.js';
import { type LmdbStoreOptions, openLmdbStore } from './open-lmdb-store.js';
import { END_OF_INDEX, END_OF_LOG, FIRST_INDEX, keyOfIndex, logKey, META_KEY, revisionOfLogKey } from './records.js';

const BLOCK = 4096;
const all = { start: '/', end: prefixEnd('/') };
let folder: ReturnType<typeof temporaryDirectory>;
let directory: string;

beforeEach(() => {
  folder = temporaryDirectory();
  directory = join(folder.path, 'store');
});
afterEach(() => folder[Symbol.dispose]());

const open = (options: Partial<LmdbStoreOptions> = {}) =>
  openLmdbStore({ directory, compactionInterval: 0, journalAfter: 0, clock: new ManualClock(), ...options });

async function put(store: KeyValueStore, key: string, value: string, ttlSeconds?: number): Promise<void> {
  const expectedRevision = (await store.get(key)).kv?.modRevision ?? 0;
  const ttl = ttlSeconds === undefined ? {} : { ttlSeconds };
  const result = await store.commit({ type: 'put', key, value: Buffer.from(value), expectedRevision, ...ttl });
  expect(result.committed).toBe(true);
}

/** Everything that a store shows. */
async function content(store: KeyValueStore) {
  const fromRevision = (await store.compactedRevision()) + 1;
  const sink = new RecordingSink();
  const watch = store.watch({ ...all, fromRevision }, sink);
  await watch.catchUp();
  watch.close();
  const { kvs, revision } = await store.range(all);
  return JSON.parse(JSON.stringify({ revision, kvs, events: sink.events }));
}

/**
 * Fills a store in all ways, the last ones in its journal. Leaves its folder as a kill would, and returns what it
 * showed.
 */
async function killed() {
  const running = join(folder.path, 'running');
  await using store = await open({ directory: running });
  await put(store, '/first', 'in LMDB');
  await put(store, '/mortal', 'a', 100);
  await put(store, '/changed', 'a');
  await store.compact(3);
  await put(store, '/changed', 'b');
  await put(store, '/mortal', 'b', 200);
  await put(store, '/immortal', 'a', 100);
  await put(store, '/immortal', 'b');
  await put(store, '/deleted', 'a');
  const { kv } = await store.get('/deleted');
  await store.commit({ type: 'delete', key: '/deleted', expectedRevision: kv?.modRevision ?? 0 });
  await Promise.all(Array.from({ length: 50 }, (_, i) => put(store, `/many/${i}`, 'x'.repeat(500))));
  cpSync(running, directory, { recursive: true });
  return await content(store);
}

const journal = () => join(directory, 'journal');

/** Names and bytes of all files that hold data. */
const files = () =>
  readdirSync(directory)
    .filter((name) => !name.includes('lock'))
    .map((name) => [name, readFileSync(join(directory, name)).toString('latin1')]);

/** Zeroes the beginning of the last batch, or the one before it. */
function damageBatch(fromEnd: number): void {
  const bytes = readFileSync(journal());
  const magic = bytes.subarray(BLOCK, BLOCK + 4);
  const batches = Array.from({ length: bytes.length / BLOCK - 1 }, (_, i) => (i + 1) * BLOCK).filter((at) =>
    bytes.subarray(at, at + 4).equals(magic),
  );
  bytes.fill(0, batches.at(-fromEnd), (batches.at(-fromEnd) ?? 0) + 8);
  writeFileSync(journal(), bytes);
}

describe('a store whose process was killed', () => {
  it('has everything that was in its journal', async () => {
    const shown = await killed();
    expect(existsSync(journal())).toBe(true);
    await using store = await open();
    expect(await content(store)).toEqual(shown);
  });

  it('keeps nothing that its compaction had removed', async () => {
    const running = join(folder.path, 'running');
    {
      await using store = await open({ directory: running });
      for (const key of ['/kept', '/changed', '/changed', '/deleted', '/again']) await put(store, key, 'x');
      for (const [key, expectedRevision] of Object.entries({ '/deleted': 5, '/again': 6 })) {
        await store.commit({ type: 'delete', key, expectedRevision });
      }
      await store.compact(7);
      await put(store, '/again', 'x');
      await store.compact(9);
      cpSync(running, directory, { recursive: true });
    }
    expect(existsSync(journal())).toBe(true);
    await (await open({ journalAfter: 1000 }))[Symbol.asyncDispose]();
    const database = await openEnvironment(join(directory, currentDataFile(directory) ?? ''));
    const keys = Array.from(database.getKeys({ start: FIRST_INDEX, end: END_OF_INDEX }), (key) => keyOfIndex(key));
    const revisions = Array.from(database.getKeys({ start: logKey(0), end: END_OF_LOG }), (key) =>
      revisionOfLogKey(key),
    );
    await database.close();
    expect([keys, revisions]).toEqual([
      ['/again', '/changed', '/kept'],
      [2, 4, 9],
    ]);
  });

  it('needs no journal once it has been opened', async () => {
    const shown = await killed();
    await (await open({ journalAfter: 1000 }))[Symbol.asyncDispose]();
    expect(existsSync(journal())).toBe(false);
    await using store = await open();
    expect(await content(store)).toEqual(shown);
  });

  it('expires keys by the times in its journal', async () => {
    await killed();
    const clock = new ManualClock();
    await using store = await open({ clock });
    await clock.advance(150_000);
    expect([(await store.get('/mortal')).kv, (await store.get('/immortal')).kv]).not.toContain(undefined);
    await clock.advance(100_000);
    await expect.poll(async () => (await store.get('/mortal')).kv, { timeout: 30_000 }).toBeUndefined();
    expect((await store.get('/immortal')).kv).toBeDefined();
  });

  it.each([
    ['is missing', () => rmSync(journal()), ', which has the last writes, is missing'],
    ['is empty', () => truncateSync(journal()), ' is damaged: it is not the journal of this store'],
    ['lacks a batch', () => damageBatch(2), /journal is damaged: it lacks batch \d+, and has batch \d+$/],
  ])('is refused, reported and left unchanged if its journal %s', async (_, damage, message) => {
    await killed();
    damage();
    const before = files();
    const error = { keyValueErrorCode: 'Corrupt', message: expect.stringMatching(message) };
    await expect(open()).rejects.toMatchObject(error);
    await expect(backUp()).rejects.toMatchObject(error);
    expect((await checkStore(directory)).faults).toContainEqual(expect.stringMatching(message));
    // Before its last writes it had one key.
    const expected = { keys: 1, revision: 2, damaged: 0, lacksJournal: true };
    expect(await backUp({ skipDamaged: true })).toEqual(expected);
    expect(files()).toEqual(before);
  });

  it('opens without an incomplete last batch, which was never acknowledged', async () => {
    const shown = await killed();
    damageBatch(1);
    await using store = await open();
    expect(await store.currentRevision()).toBe(shown.revision - 50);
  });

  it('is backed up with its journal, and not changed', async () => {
    const shown = await killed();
    const before = files();
    expect(await backUp()).toMatchObject({ keys: shown.kvs.length, revision: shown.revision, damaged: 0 });
    expect(files()).toEqual(before);
    const restored = join(folder.path, 'restored');
    await restoreStore({ directory: restored, file: join(folder.path, 'backup'), bump: 0, now: () => new Date() });
    await using store = await open({ directory: restored });
    expect(JSON.parse(JSON.stringify((await store.range(all)).kvs))).toEqual(shown.kvs);
  });

  it('is checked with its journal, and not changed', async () => {
    const shown = await killed();
    const before = files();
    expect(await checkStore(directory)).toEqual({
      faults: [],
      keys: shown.kvs.length,
      revision: shown.revision,
      unchecked: 0,
    });
    expect(files()).toEqual(before);
  });

  it('is checked without what its compaction had removed', async () => {
    const running = join(folder.path, 'running');
    {
      await using store = await open({ directory: running });
      for (const key of ['/kept', '/deleted']) await put(store, key, 'x', 100);
    }
    {
      // The records of the deleted key are in LMDB, the removals in the journal, which begins after the first write.
      await using store = await open({ directory: running });
      await put(store, '/kept', 'y', 100);
      await store.commit({ type: 'delete', key: '/deleted', expectedRevision: 3 });
      await store.compact(5);
      cpSync(running, directory, { recursive: true });
    }
    expect(await checkStore(directory)).toEqual({ faults: [], keys: 1, revision: 5, unchecked: 0 });
  });
});

const backUp = (options: Partial<BackupOptions> = {}) =>
  backUpStore({ directory, file: join(folder.path, 'backup'), version: 'v1.36.0', now: () => new Date(), ...options });

describe('a journal', () => {
  it('is removed when the store is closed, after which older versions can open it', async () => {
    {
      await using store = await open();
      for (let i = 0; i < 5; i++) await put(store, '/k', `${i}`);
      expect(statSync(journal())).toMatchObject({ size: BLOCK + 4 * 1024 * 1024, mode: 0o100600 });
      expect(format()).toBe(3);
    }
    expect([existsSync(journal()), format()]).toEqual([false, 2]);
  });

  it('of another store that was left behind is ignored', async () => {
    await killed();
    const foreign = readFileSync(journal());
    rmSync(directory, { recursive: true });
    await (await open({ journalAfter: 1000 }))[Symbol.asyncDispose]();
    writeFileSync(journal(), foreign);
    await using store = await open({ journalAfter: 1000 });
    expect((await store.range(all)).kvs).toEqual([]);
    expect(existsSync(journal())).toBe(false);
  });

  it('begins after some commits', async () => {
    await using store = await open({ journalAfter: 3 });
    for (let i = 0; i < 2; i++) await put(store, '/k', `${i}`);
    expect(existsSync(journal())).toBe(false);
    await put(store, '/k', 'third');
    await expect.poll(() => existsSync(journal()), { timeout: 30_000 }).toBe(true);
  });

  it('of a folder that was put in the place of the own one stays', async () => {
    const store = await open();
    for (let i = 0; i < 5; i++) await put(store, '/k', `${i}`);
    const moved = join(folder.path, 'moved');
    renameSync(directory, moved);
    cpSync(moved, directory, { recursive: true });
    await store[Symbol.asyncDispose]();
    await using other = await open();
    expect((await other.get('/k')).kv?.value.toString()).toBe('4');
  });

  it.each([5000, 20_000])('has whole blocks, however large its halves should be: %i bytes', async (journalHalf) => {
    const running = join(folder.path, 'running');
    await using store = await open({ directory: running, journalHalf });
    for (let i = 1; i <= 20; i++) {
      await put(store, '/k', `${i}`);
      cpSync(running, directory, { recursive: true });
      {
        await using copy = await open();
        expect((await copy.get('/k')).kv?.value.toString()).toBe(`${i}`);
      }
      rmSync(directory, { recursive: true });
    }
  });

  it('is stored by LMDB again and again, however small its halves are', async () => {
    const value = 'x'.repeat(3000);
    {
      await using store = await open({ journalHalf: 16_384 });
      await Promise.all(Array.from({ length: 20 }, (_, i) => put(store, `/a/${i}`, value)));
      for (let i = 0; i < 100; i++) await put(store, `/k/${i % 10}`, value);
      // Larger than a half.
      await put(store, '/large', 'x'.repeat(50_000));
      await put(store, '/k/0', value);
    }
    await using store = await open();
    expect(await store.currentRevision()).toBe(123);
    expect((await store.range(all)).kvs).toHaveLength(31);
  });
});

/** Format of the meta record in the data file. */
function format(): number | undefined {
  let found: number | undefined;
  checkDataFile(join(directory, 'data.mdb'), {
    fault: (error) => {
      throw error;
    },
    entry: (key, value) => {
      if (META_KEY.equals(key)) found = value[0];
    },
  });
  return found;
}
