import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUpStore } from '../backup/back-up-store.js';
import { restoreStore } from '../backup/restore-store.js';
import { checkStore } from '../check/check-store.js';
import type { KeyValueError } from '../key-value-error.js';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { damageBytes, damageIndex, withoutChecksums } from '../testing/damaged-store.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { openLmdbStore } from './open-lmdb-store.js';

const range = { start: '/k/', end: prefixEnd('/k/') };
/** More than a page, so that most of the value is on separate pages. */
const BIG = 10_000;

let folder: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  folder = temporaryDirectory();
});
afterEach(() => folder[Symbol.dispose]());

const open = (directory = folder.path) => openLmdbStore({ directory, compactionInterval: 0 });
const put = (store: KeyValueStore, key: string, value: string, expectedRevision = 0) =>
  store.commit({ type: 'put', key, value: Buffer.from(value), expectedRevision });

/** The entries of a range: a value's text, or its damage. */
async function valuesOf(store: KeyValueStore, at: { revision?: number } = {}): Promise<Record<string, string>> {
  const { kvs } = await store.range({ ...range, ...at });
  return Object.fromEntries(kvs.map(({ key, value, damage }) => [key, shown(value, damage)]));
}

async function scanned(store: KeyValueStore): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  await store.scan?.(range, ({ key, value, damage }) => {
    values[key] = shown(value, damage);
  });
  return values;
}

const shown = (value: Uint8Array, damage: KeyValueError | undefined): string =>
  damage?.message ?? Buffer.from(value).toString().slice(0, 20);
const mismatch = (key: string, revision: number) =>
  `what the store has of ${key} at revision ${revision} is damaged: it does not match its checksum`;

/** A closed store with a, b and c; b's value is damaged, at revision 3. */
async function makeDamaged(value = 'value-of-b'): Promise<void> {
  {
    await using store = await open();
    await put(store, '/k/a', 'value-of-a');
    await put(store, '/k/b', value);
    await put(store, '/k/c', 'value-of-c');
  }
  damageBytes(folder.path, value.slice(-200), Math.min(150, value.length - 1));
}

describe.each([
  ['in its page', 'value-of-b'],
  ['on pages of its own', `${'x'.repeat(BIG)}value-of-b`],
])('a value that is damaged %s', (_, value) => {
  const rest = { '/k/a': 'value-of-a', '/k/c': 'value-of-c' };

  it('is reported by every read, and the others are read', async () => {
    await makeDamaged(value);
    await using store = await open();
    const all = { ...rest, '/k/b': mismatch('/k/b', 3) };
    expect([await valuesOf(store), await scanned(store)]).toEqual([all, all]);
    const { kv } = await store.get('/k/b');
    expect([kv?.modRevision, kv?.damage?.keyValueErrorCode]).toEqual([3, 'Corrupt']);
    expect((await store.range({ ...range, limit: 1, count: true })).count).toBe(3);
  });

  it('can be deleted and rewritten, and compaction continues', async () => {
    await makeDamaged(value);
    await using store = await open();
    const refused = await put(store, '/k/b', 'new');
    expect(refused).toMatchObject({ committed: false, current: { modRevision: 3 } });
    expect(await store.commit({ type: 'delete', key: '/k/b', expectedRevision: 3 })).toMatchObject({ committed: true });
    expect(await valuesOf(store)).toEqual(rest);
    expect((await valuesOf(store, { revision: 4 }))['/k/b']).toBe(mismatch('/k/b', 3));
    await put(store, '/k/b', 'new');
    await store.compact(await store.currentRevision());
    expect(await valuesOf(store)).toEqual({ ...rest, '/k/b': 'new' });
    await store[Symbol.asyncDispose]();
    expect((await checkStore(folder.path)).faults).toEqual([]);
  });

  it('ends watches of its revision', async () => {
    await makeDamaged(value);
    await using store = await open();
    const seen: string[] = [];
    const ended = Promise.withResolvers<KeyValueError>();
    const sink = { event: ({ key }: { key: string }) => void seen.push(key), end: ended.resolve };
    store.watch({ ...range, fromRevision: 2 }, sink);
    expect([(await ended.promise).keyValueErrorCode, seen]).toEqual(['Corrupt', []]);
    store.watch({ ...range, fromRevision: 4 }, sink);
    await put(store, '/k/d', 'later');
    await turn();
    expect(seen).toEqual(['/k/c', '/k/d']);
  });

  it('is omitted from a backup with skipDamaged, and from nothing else', async () => {
    await makeDamaged(value);
    using place = temporaryDirectory();
    const options = { directory: folder.path, file: `${place.path}/backup`, version: 'v1', now: () => new Date() };
    await expect(backUpStore(options)).rejects.toThrow('is damaged: a key cannot be read');
    expect(await backUpStore({ ...options, skipDamaged: true })).toEqual({ keys: 2, revision: 4, damaged: 1 });
    const directory = `${place.path}/restored`;
    await restoreStore({ file: options.file, directory, bump: 1, now: () => new Date() });
    await using store = await open(directory);
    expect(await valuesOf(store)).toEqual(rest);
  });

  it('is found by a check', async () => {
    await makeDamaged(value);
    expect(await checkStore(folder.path)).toEqual({
      faults: ['/k/b at revision 3: it does not match its checksum, or is no JSON'],
      keys: 3,
      revision: 4,
      unchecked: 0,
    });
  });
});

describe('a damaged index record', () => {
  beforeEach(async () => {
    {
      await using store = await open();
      for (const name of ['a', 'b', 'c']) await put(store, `/k/${name}`, `value-of-${name}`);
    }
    damageIndex(folder.path, '/k/b');
  });

  it('is reported, and can be deleted without affecting others', async () => {
    await using store = await open();
    const values = await valuesOf(store);
    expect(values['/k/b']).toMatch(/\/k\/b .* its index record does not match its checksum/);
    const { kv } = await store.get('/k/b');
    const deletion = { type: 'delete', key: '/k/b', expectedRevision: kv?.modRevision ?? 0 } as const;
    expect(await store.commit(deletion)).toMatchObject({ committed: true });
    await store.compact(await store.currentRevision());
    expect(await valuesOf(store)).toEqual({ '/k/a': 'value-of-a', '/k/c': 'value-of-c' });
  });

  it('is found by a check', async () => {
    expect((await checkStore(folder.path)).faults).toEqual(['/k/b: its index record does not match its checksum']);
  });
});

describe('a key that is damaged inside the B-tree', () => {
  const damageKey = async (names: readonly string[]): Promise<void> => {
    {
      await using store = await open();
      for (const name of names) await put(store, `/k/${name}`, `value-of-${name}`);
    }
    // b becomes r.
    damageBytes(folder.path, '\x20/k/b', 4);
  };

  it('is reported under its changed name, if it is still in order', async () => {
    await damageKey(['a', 'b', 'z']);
    expect((await checkStore(folder.path)).faults).toEqual([
      '/k/r at revision 3: its value is missing',
      '/k/b at revision 3: its index record is missing',
    ]);
    {
      await using store = await open();
      const rest = { '/k/a': 'value-of-a', '/k/z': 'value-of-z' };
      const all = { ...rest, '/k/r': 'what the store has of /k/r at revision 3 is damaged: its value is missing' };
      expect([await valuesOf(store), await scanned(store)]).toEqual([all, all]);
      expect((await store.get('/k/r')).kv?.damage?.keyValueErrorCode).toBe('Corrupt');
      expect((await store.get('/k/b')).kv).toBe(undefined);
      await store.commit({ type: 'delete', key: '/k/r', expectedRevision: 3 });
      await put(store, '/k/b', 'value-of-b');
      await store.compact(await store.currentRevision());
      expect(await valuesOf(store)).toEqual({ ...rest, '/k/b': 'value-of-b' });
    }
    expect((await checkStore(folder.path)).faults).toEqual([]);
  });

  it('prevents opening the store if a search would miss others', async () => {
    await damageKey(['a', 'b', 'c']);
    await expect(open()).rejects.toMatchObject({
      keyValueErrorCode: 'Corrupt',
      message: expect.stringMatching(/ is damaged: the keys of page \d+ are not in order$/),
    });
    expect((await checkStore(folder.path)).faults).toEqual([
      expect.stringMatching(/the keys of page \d+ are not in order$/),
      '/k/r at revision 3: its value is missing',
      '/k/b at revision 3: its index record is missing',
    ]);
  });

  it('or any other bit in the file never gives a key the value of another', { timeout: 60_000 }, async () => {
    const expected: Record<string, string> = {};
    {
      await using store = await open();
      for (let i = 0; i < 100; i++) {
        const [key, value] = [`/k/${i}`, `value-of-${i}`];
        expected[key] = value;
        await put(store, key, value);
      }
    }
    const file = readFileSync(join(folder.path, 'data.mdb'));
    let state = 7;
    const random = (below: number) => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    const found = { refused: 0, damaged: 0, unchanged: 0 };
    for (let round = 0; round < 80; round++) {
      using copy = temporaryDirectory();
      const bytes = Buffer.from(file);
      // After the two meta pages, one of which LMDB accepts without a checksum.
      const at = 2 * 4096 + random(file.length - 2 * 4096);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      writeFileSync(join(copy.path, 'data.mdb'), bytes);
      const { faults } = await checkStore(copy.path);
      const values = await open(copy.path).then(
        async (store) => {
          await using opened = store;
          return await valuesOf(opened);
        },
        (error: unknown) => {
          expect(error).toMatchObject({ keyValueErrorCode: 'Corrupt' });
          return undefined;
        },
      );
      const wrong = Object.entries(values ?? {}).filter(([key, value]) => expected[key] !== value);
      expect(wrong.filter(([, value]) => !value.includes('is damaged: '))).toEqual([]);
      const isWhole = values !== undefined && wrong.length === 0 && Object.keys(values).length === 100;
      if (!isWhole) expect(faults).not.toEqual([]);
      found[values === undefined ? 'refused' : isWhole ? 'unchanged' : 'damaged']++;
    }
    expect(Math.min(...Object.values(found))).toBeGreaterThan(0);
  });
});

describe('a damaged time to live', () => {
  const TTL = 100;
  const id = (key: string, at: number) => {
    const bytes = Buffer.alloc(9);
    bytes[0] = 0x10;
    bytes.writeBigUInt64BE(BigInt(at), 1);
    return Buffer.concat([bytes, Buffer.from(key)]);
  };

  it.each<[string, number]>([
    ['earlier or later', 6],
    ['far in the future', 3],
    ['that of another key', 12],
    ['that of no text', 10],
  ])('(now it is %s) is repaired when it is over, and no other key is deleted', async (_what, at) => {
    const clock = new ManualClock();
    const timed = () => openLmdbStore({ directory: folder.path, compactionInterval: 0, clock });
    const expiresAt = clock.now() + TTL * 1000;
    {
      await using store = await timed();
      for (const name of ['a', 'b']) {
        const request = { type: 'put', key: `/k/${name}`, value: Buffer.from(name), expectedRevision: 0 } as const;
        await store.commit({ ...request, ttlSeconds: TTL });
      }
      await put(store, '/k/kept', 'kept');
    }
    damageBytes(folder.path, id('/k/b', expiresAt), at);
    expect((await checkStore(folder.path)).faults).toContain('/k/b: its time to live is damaged');
    {
      await using store = await timed();
      const later = async () => {
        clock.advance(at === 3 ? 2 ** 45 : TTL * 1000);
        return await valuesOf(store);
      };
      await expect.poll(later).toEqual({ '/k/kept': 'kept' });
    }
    expect((await checkStore(folder.path)).faults).toEqual([]);
  });
});

describe('a store from before checksums', () => {
  beforeEach(async () => {
    {
      await using store = await open();
      for (const name of ['a', 'b', 'c']) await put(store, `/k/${name}`, `{"value-of":"${name}"}`);
      await put(store, '/k/a', '{"value-of":"a2"}', 2);
    }
    await withoutChecksums(folder.path);
  });
  const old = { '/k/a': '{"value-of":"a2"}', '/k/b': '{"value-of":"b"}', '/k/c': '{"value-of":"c"}' };

  it('is read, written and read again', async () => {
    {
      await using store = await open();
      expect([await valuesOf(store), await scanned(store)]).toEqual([old, old]);
      expect((await valuesOf(store, { revision: 4 }))['/k/a']).toBe('{"value-of":"a"}');
      await put(store, '/k/b', 'new', 3);
    }
    {
      await using store = await open();
      expect(await valuesOf(store)).toEqual({ ...old, '/k/b': 'new' });
      await store.compact(6);
    }
    const { faults, unchecked } = await checkStore(folder.path);
    expect([faults, unchecked]).toEqual([[], 2]);
  });

  it('has checksums for new records', async () => {
    {
      await using store = await open();
      await put(store, '/k/b', 'written-now', 3);
    }
    damageBytes(folder.path, 'written-now', 3);
    await using store = await open();
    expect(await valuesOf(store)).toEqual({ ...old, '/k/b': mismatch('/k/b', 6) });
  });

  it('is checked as far as possible', async () => {
    damageBytes(folder.path, '"value-of":"c"', 0);
    expect((await checkStore(folder.path)).faults).toEqual([
      '/k/c at revision 4: it does not match its checksum, or is no JSON',
    ]);
  });
});
