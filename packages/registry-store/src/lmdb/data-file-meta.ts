import { KeyValueError } from '../key-value-error.js';

/*
 * LMDB's file as its meta pages describe it. Only what is needed to find out whether the file is whole: LMDB maps it
 * into memory and believes what it reads, so a file that was cut off or damaged ends the process.
 *
 * A page has a header of 24 bytes: number(8) transaction(8) pad(2) flags(2) lower(2) upper(2), or in an overflow page
 * how many pages it has(4) in the place of the last two. Numbers are in the machine's byte order, which is
 * little-endian wherever the native module is built for.
 */

export const PAGE_HEADER = 24;
/** Two meta pages precede all others. */
export const META_PAGES = 2;
/** Number of bytes of a page that contain its meta record. */
export const META_BYTES = 168;

const MAGIC = 0xbeefc0de;
const VERSION = 2;
const META_FLAG = 0x08;
const NO_ROOT = 2 ** 64;

/** A B-tree: that of free pages, or that of all records. `root` is undefined when it is empty. */
interface TreeRoot {
  readonly root: number | undefined;
  readonly depth: number;
  readonly entries: number;
}

/** The metadata of a file from its newest meta page. */
export interface DataFileMeta {
  /** Bytes. */
  readonly pageSize: number;
  /** The highest number of a page, which may be free. */
  readonly lastPage: number;
  readonly transaction: number;
  readonly trees: readonly TreeRoot[];
}

/** Reads an unsigned integer of 8 bytes; inexact beyond 2^53, which no valid file reaches. */
export function readLong(page: Buffer, at: number): number {
  return page.readUInt32LE(at) + page.readUInt32LE(at + 4) * 2 ** 32;
}

/** The meta record of a page, given at least META_BYTES of it. Throws Corrupt. */
export function readMetaPage(page: Buffer, path: string): DataFileMeta {
  const flags = page.readUInt16LE(18);
  if ((flags & META_FLAG) === 0 || page.readUInt32LE(PAGE_HEADER) !== MAGIC) {
    throw new KeyValueError('Corrupt', `${path} is not a store, or its beginning is damaged`);
  }
  const version = page.readUInt32LE(28) & 0xffff;
  if (version !== VERSION) {
    throw new KeyValueError('Corrupt', `${path} has LMDB's format ${version}, this version reads format ${VERSION}`);
  }
  return {
    pageSize: page.readUInt32LE(48),
    lastPage: readLong(page, 144),
    transaction: readLong(page, 152),
    trees: [readTree(page, 48), readTree(page, 96)],
  };
}

function readTree(page: Buffer, at: number): TreeRoot {
  const root = readLong(page, at + 40);
  return {
    root: root === NO_ROOT ? undefined : root,
    depth: page.readUInt16LE(at + 6),
    entries: readLong(page, at + 32),
  };
}
