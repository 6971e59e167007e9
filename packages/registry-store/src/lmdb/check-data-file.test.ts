import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prefixEnd } from '../key-value-store.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { checkDataFile } from './check-data-file.js';
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
    ...{ offset, size: size + (size % 2), upper: PAGE_HEADER + page.readUInt16LE(22) },
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
    const visited = (path: string) => {
      const [faults, keys]: [string[], string[]] = [[], []];
      checkDataFile(path, {
        fault: (error) => void faults.push(error.message),
        entry: (key) => void keys.push(key.toString('latin1')),
      });
      return { faults, keys };
    };
    const whole = visited(good);
    const damaged = visited(bad);
    expect([whole.faults, damaged.faults, damaged.keys.length]).toEqual([[], [message], whole.keys.length]);
    expect(whole.keys).toEqual(whole.keys.toSorted());
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
