import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { prefixEnd } from '../key-value-store.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { checkDataFile } from './check-data-file.js';
import { openEnvironment } from './environment.js';
import { openLmdbStore } from './open-lmdb-store.js';

const PAGE = 4096;
const folder = temporaryDirectory();
const good = join(folder.path, 'good.mdb');
const bad = join(folder.path, 'bad.mdb');
let whole: Buffer;
let pagesInUse: number[] | undefined;

/** A store with small values, values on pages of their own, and free pages. */
beforeAll(async () => {
  const directory = join(folder.path, 'store');
  await using store = await openLmdbStore({ directory, compactionInterval: 0 });
  const put = (i: number, expectedRevision: number) =>
    store.commit({ type: 'put', key: `/k/${i}`, value: Buffer.alloc(100 + ((i * 97) % 6000), i), expectedRevision });
  const first = await Promise.all(Array.from({ length: 80 }, (_, i) => put(i, 0)));
  await Promise.all(first.slice(0, 50).map((_, i) => put(i, i + 2)));
  await store.compact(await store.currentRevision());
  expect((await store.range({ start: '/k/', end: prefixEnd('/k/') })).kvs.length).toBe(80);
  copyFileSync(join(directory, 'data.mdb'), good);
  whole = readFileSync(good);
});
afterAll(() => folder[Symbol.dispose]());

function checking(change: (bytes: Buffer) => Buffer): () => void {
  writeFileSync(bad, change(Buffer.from(whole)));
  return () => checkDataFile(bad);
}

const everyPage = () => Array.from({ length: whole.length / PAGE }, (_, number) => number);

/** The pages that a check reads: those with headers whose wiping it detects. */
function usedPages(): number[] {
  pagesInUse ??= everyPage().filter((number) => {
    try {
      checking((bytes) => bytes.fill(0, number * PAGE, number * PAGE + 24))();
      return false;
    } catch {
      return true;
    }
  });
  return pagesInUse;
}

const PAGE_HEADER = 24;
const NODE_HEADER = 8;
const LEAF = 2;
const BRANCH = 1;
const META_BYTES = 168;

/** The same bytes with an unsigned integer of 4 bytes. */
function withNumber(bytes: Buffer, at: number, value: number): Buffer {
  bytes.writeUInt32LE(value, at);
  return bytes;
}

const transactionAt = (meta: number) => whole.readUInt32LE(meta * PAGE + 152);
const newestMeta = () => (transactionAt(0) >= transactionAt(1) ? 0 : 1);
const pageOf = (bytes: Buffer, number: number) => bytes.subarray(number * PAGE, (number + 1) * PAGE);
const flagsOf = (number: number) => pageOf(whole, number).readUInt16LE(18) & 0xff;

/** Nodes of a page, by their offsets. */
function nodesOf(number: number): readonly number[] {
  const page = pageOf(whole, number);
  const count = page.readUInt16LE(20) / 2;
  return Array.from({ length: count }, (_, i) => PAGE_HEADER + page.readUInt16LE(PAGE_HEADER + 2 * i));
}

const valueAt = (page: Buffer, node: number) => node + NODE_HEADER + page.readUInt16LE(node + 6);

/** The leaf of records with a big value, and where that stands. */
function bigValue(): { readonly number: number; readonly node: number; readonly reference: number } {
  for (const number of usedPages().filter((one) => one > 1 && flagsOf(one) === LEAF)) {
    const page = pageOf(whole, number);
    const node = nodesOf(number).find((one) => (page.readUInt16LE(one + 4) & 1) !== 0);
    if (node !== undefined) return { number, node, reference: valueAt(page, node) };
  }
  throw new Error('no value stands on pages of its own');
}

/** The faults and entries that a check reports of a file. */
function visited(path: string) {
  const [faults, entries]: [string[], string[]] = [[], []];
  checkDataFile(path, {
    fault: (error) => void faults.push(error.message),
    entry: (key, value) => void entries.push(`${key.toString('latin1')}=${value.toString('latin1')}`),
  });
  return { faults, entries };
}

/** The node with the greatest key of a leaf page. Offsets are those in the page. */
interface LeafNode {
  readonly offset: number;
  /** Of head, key and value. */
  readonly size: number;
  /** Where the nodes begin; free bytes are before. */
  readonly upper: number;
  /** Changes the page's pointer to the node. */
  point(offset: number): void;
  copyTo(offset: number): void;
}

function lastNodeOf(page: Buffer): LeafNode {
  const pointer = PAGE_HEADER + page.readUInt16LE(20) - 2;
  const offset = PAGE_HEADER + page.readUInt16LE(pointer);
  const size = NODE_HEADER + page.readUInt16LE(offset + 6) + page.readUInt32LE(offset);
  return {
    offset,
    size: size + (size % 2),
    upper: PAGE_HEADER + page.readUInt16LE(22),
    point: (to) => void page.writeUInt16LE(to - PAGE_HEADER, pointer),
    copyTo: (to) => void page.copy(page, to, offset, offset + size),
  };
}

/** A leaf whose last value is in the page and could stand there twice. */
function leafWithRoom(): number {
  const found = usedPages().find((number) => {
    const page = whole.subarray(number * PAGE, (number + 1) * PAGE);
    if (number < 2 || (page.readUInt16LE(18) & 0xff) !== LEAF) return false;
    const { size, offset, upper } = lastNodeOf(page);
    const isBig = (page.readUInt16LE(offset + 4) & 1) !== 0;
    return !isBig && upper - size >= PAGE_HEADER + page.readUInt16LE(20);
  });
  if (found === undefined) throw new Error('no leaf has room for another node');
  return found;
}

describe('checkDataFile', () => {
  it('accepts a valid file, an empty one and none', () => {
    checkDataFile(good);
    checkDataFile(join(folder.path, 'missing.mdb'));
    checking(() => Buffer.alloc(0))();
  });

  it('accepts a new store', async () => {
    const directory = join(folder.path, 'new');
    await (await openLmdbStore({ directory, compactionInterval: 0 }))[Symbol.asyncDispose]();
    checkDataFile(join(directory, 'data.mdb'));
  });

  it.each([100, META_BYTES - 1, PAGE + 100, PAGE + META_BYTES - 1])('says that a file ends after %i bytes', (size) => {
    expect(checking((bytes) => bytes.subarray(0, size))).toThrow(`${bad} is damaged: it was cut off at ${size} bytes`);
  });

  it('detects a truncated file', () => {
    const last = Math.max(...usedPages());
    for (const number of everyPage().filter((page) => page <= last)) {
      for (const size of [number * PAGE, number * PAGE + 100, number * PAGE + PAGE - 1]) {
        if (size === 0) continue;
        expect(checking((bytes) => bytes.subarray(0, size))).toThrow(
          expect.objectContaining({ keyValueErrorCode: 'Corrupt', message: expect.stringContaining(bad) }),
        );
      }
    }
  });

  it('detects wiped pages', () => {
    const used = usedPages();
    // Only the first page of a big value is recognisable; the rest is arbitrary content.
    expect(used.length).toBeGreaterThan(everyPage().length / 3);
    for (const number of used) {
      expect(checking((bytes) => bytes.fill(0, number * PAGE, (number + 1) * PAGE))).toThrow(
        expect.objectContaining({ keyValueErrorCode: 'Corrupt' }),
      );
    }
  });

  it.each([
    ['garbage', (bytes: Buffer) => bytes.fill(0x55, 0, PAGE), 'is not a store, or its beginning is damaged'],
    ['garbage in the second meta page', (bytes: Buffer) => bytes.fill(0x55, PAGE, 2 * PAGE), 'is not a store'],
    ['another format', (bytes: Buffer) => Buffer.from(bytes.fill(7, 28, 29)), 'has LMDB’s format 7'],
    ['a strange page size', (bytes: Buffer) => bytes.fill(3, 48, 52), 'its pages have 50529027 bytes'],
    ['pages that are too small', (bytes: Buffer) => withNumber(bytes, 48, 256), 'its pages have 256 bytes'],
    ['pages that are too large', (bytes: Buffer) => withNumber(bytes, 48, 131_072), 'its pages have 131072 bytes'],
    ['pages of no power of two', (bytes: Buffer) => withNumber(bytes, 48, 3000), 'its pages have 3000 bytes'],
    [
      'another size in the second',
      (bytes: Buffer) => withNumber(bytes, PAGE + 48, 8192),
      'its two beginnings do not agree',
    ],
    ['a text', () => Buffer.from('apiVersion: v1\n'.repeat(100)), 'is not a store'],
  ])('refuses %s', (_name, change, message) => {
    expect(checking(change)).toThrow(message.replace('’', "'"));
  });

  it.each<[string, (node: LeafNode) => void]>([
    ['an odd offset', ({ point, offset }) => point(offset + 1)],
    [
      'a place among the free bytes',
      ({ point, copyTo, upper, size }) => {
        copyTo(upper - size);
        point(upper - size);
      },
    ],
    ['no room for its head', ({ point }) => point(PAGE - 4)],
  ])('detects a node with %s', (_, damage) => {
    const number = leafWithRoom();
    const change = (bytes: Buffer) => {
      damage(lastNodeOf(bytes.subarray(number * PAGE, (number + 1) * PAGE)));
      return bytes;
    };
    expect(checking(change)).toThrow(`is damaged: page ${number} makes no sense`);
  });

  it('reads the newer of the two beginnings, wherever it stands', () => {
    const swapped = (bytes: Buffer) => {
      pageOf(whole, 0).copy(bytes, PAGE);
      pageOf(whole, 1).copy(bytes, 0);
      return bytes;
    };
    const newest = newestMeta();
    const spoilt = (bytes: Buffer, meta: number) => withNumber(bytes, meta * PAGE + 148, 2);
    const refusal = `${bad} is damaged: its last page is ${2 ** 33 + whole.readUInt32LE(newest * PAGE + 144)}`;
    for (const arranged of [(bytes: Buffer) => bytes, swapped]) {
      const at = arranged === swapped ? 1 - newest : newest;
      checking((bytes) => spoilt(arranged(bytes), 1 - at))();
      expect(visited(bad)).toEqual(visited(good));
      expect(checking((bytes) => spoilt(arranged(bytes), at))).toThrow(refusal);
    }
  });

  it('reads everything: each key with its value', async () => {
    const { faults, entries } = visited(good);
    expect(faults).toEqual([]);
    const database = await openEnvironment(good, { readOnly: true });
    const read = Array.from(
      database.getRange({}),
      ({ key, value }) => `${key.toString('latin1')}=${value.toString('latin1')}`,
    );
    await database.close();
    expect(entries).toEqual(read);
  });

  it('passes on the error of a visitor', () => {
    const entry = () => {
      throw new RangeError('enough');
    };
    const fault = vi.fn();
    expect(() => checkDataFile(good, { fault, entry })).toThrow(new RangeError('enough'));
    expect(fault).not.toHaveBeenCalled();
  });

  it('accepts no tree that is deeper than any can be', () => {
    const at = newestMeta() * PAGE + 96 + 6;
    const deep = (depth: number) => (bytes: Buffer) => {
      bytes.writeUInt16LE(depth, at);
      return bytes;
    };
    expect(checking(deep(33))).toThrow(`${bad} is damaged: a tree has the depth 33`);
    expect(checking(deep(32))).toThrow(/page \d+ is not what it is named as$/);
  });

  it.each<[string, (page: Buffer) => unknown]>([
    ['without nodes', (page) => page.writeUInt16LE(0, 20)],
    ['with half a node', (page) => page.writeUInt16LE(page.readUInt16LE(20) - 1, 20)],
    ['with nodes among the pointers', (page) => page.writeUInt16LE(page.readUInt16LE(20) - 2, 22)],
    ['with a value that leaves it', (page) => page.writeUInt32LE(PAGE, lastNodeOf(page).offset)],
  ])('detects a page %s', (_, damage) => {
    const number = leafWithRoom();
    const change = (bytes: Buffer) => {
      damage(pageOf(bytes, number));
      return bytes;
    };
    expect(checking(change)).toThrow(`${bad} is damaged: page ${number} makes no sense`);
  });

  it('detects a branch whose key leaves it, and names the page', () => {
    const number = usedPages().find((one) => one > 1 && flagsOf(one) === BRANCH);
    if (number === undefined) throw new Error('no page is a branch');
    const key = number * PAGE + (nodesOf(number).at(-1) ?? 0) + 6;
    const change = (bytes: Buffer) => {
      bytes.writeUInt16LE(PAGE, key);
      return bytes;
    };
    expect(checking(change)).toThrow(`page ${number} makes no sense`);
  });

  type BigValue = ReturnType<typeof bigValue>;
  const isSenseless = ({ number }: BigValue) => `page ${number} makes no sense`;
  const pagesOf = ({ number, reference }: BigValue) => pageOf(whole, number).readUInt32LE(reference + 16);

  it.each<[string, (page: Buffer, at: BigValue) => unknown, (at: BigValue) => string]>([
    ['a size of other pages', (page, { node }) => page.writeUInt32LE(3 * PAGE, node), isSenseless],
    [
      'a number of pages that is not that of its size',
      (page, { reference }) => page.writeUInt32LE(page.readUInt32LE(reference + 16) + 1, reference + 16),
      isSenseless,
    ],
    [
      'a place beyond the page',
      (page, { node }) => page.writeUInt16LE(PAGE - node - NODE_HEADER - 20, node + 6),
      isSenseless,
    ],
    [
      'pages that precede all others',
      (page, { reference }) => page.writeUInt32LE(1, reference),
      (at) => `it has no page ${pagesOf(at)}`,
    ],
    [
      'pages after the last one',
      (page, { reference }) => page.writeUInt32LE(100_000, reference),
      (at) => `it has no page ${99_999 + pagesOf(at)}`,
    ],
    [
      'the page of another',
      (page, { number, reference }) => page.writeUInt32LE(number, reference),
      ({ number }) => `page ${number} is named twice`,
    ],
  ])('detects a big value with %s', (_, damage, what) => {
    const at = bigValue();
    const change = (bytes: Buffer) => {
      damage(pageOf(bytes, at.number), at);
      return bytes;
    };
    expect(checking(change)).toThrow(
      expect.objectContaining({
        keyValueErrorCode: 'Corrupt',
        message: expect.stringMatching(new RegExp(` is damaged: ${what(at)}$`)),
      }),
    );
  });

  it.each([
    ['number', (page: Buffer) => page.writeUInt32LE(1, 0)],
    ['kind', (page: Buffer) => page.writeUInt16LE(LEAF, 18)],
  ])('detects the wrong %s of the first page of a big value', (_, damage) => {
    const { number, reference } = bigValue();
    const first = pageOf(whole, number).readUInt32LE(reference);
    const change = (bytes: Buffer) => {
      damage(pageOf(bytes, first));
      return bytes;
    };
    expect(checking(change)).toThrow(`page ${first} is not what it is named as`);
  });

  it('compares long keys to their end', async () => {
    const file = join(folder.path, 'long.mdb');
    const database = await openEnvironment(file, { fsync: false });
    const keys = Array.from({ length: 9 }, (_, i) => Buffer.from(`${'k'.repeat(30 * (i % 3) + 60)}${i}`));
    await database.batch(() => {
      for (const key of keys) void database.put(key, Buffer.from('v'));
    });
    await database.close();
    checkDataFile(file);
    const bytes = readFileSync(file);
    // The last characters of two neighbours change places.
    const last = (character: string) => bytes.indexOf(`\0${'k'.repeat(60)}${character}`) + 61;
    const [first, second] = [last('0'), last('3')];
    bytes.write('3', first);
    bytes.write('0', second);
    writeFileSync(bad, bytes);
    expect(() => checkDataFile(bad)).toThrow('are not in order');
  });

  it.each([
    ['the least of all', 0],
    ['the least of those with its first byte', 1],
  ])('detects keys that are not in order, and reports them beside what it reads: %s comes last', (_, kept) => {
    const number = leafWithRoom();
    const change = (bytes: Buffer) => {
      const { offset } = lastNodeOf(bytes.subarray(number * PAGE, (number + 1) * PAGE));
      const key = number * PAGE + offset + NODE_HEADER;
      return bytes.fill(0, key + kept, key + bytes.readUInt16LE(number * PAGE + offset + 6));
    };
    const message = `${bad} is damaged: the keys of page ${number} are not in order`;
    expect(checking(change)).toThrow(message);
    const damaged = visited(bad);
    expect([damaged.faults, damaged.entries.length]).toEqual([[message], visited(good).entries.length]);
  });

  it('ends without a crash for any page content', () => {
    let state = 1;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state;
    };
    for (let round = 0; round < 300; round++) {
      const number = 2 + (random() % (whole.length / PAGE - 2));
      const check = checking((bytes) => {
        for (let i = 0; i < 8; i++) bytes[number * PAGE + (random() % 200)] = random();
        return bytes;
      });
      try {
        check();
      } catch (error) {
        expect(error).toMatchObject({ keyValueErrorCode: 'Corrupt' });
      }
    }
  });
});
