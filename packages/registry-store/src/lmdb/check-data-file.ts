import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';
import { type DataFileMeta, META_BYTES, META_PAGES, PAGE_HEADER, readLong, readMetaPage } from './data-file-meta.js';

const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
/** Flag of a leaf's node whose value is on separate pages. */
const BIG_VALUE = 0x01;
/** A node: two halves of the value's size or the child's number(4), flags(2), size of the key(2), key, value. */
const NODE_HEADER = 8;
const MAX_DEPTH = 32;
/** The second tree; the first is of free pages. */
const RECORDS = 1;
/** Adjacent pages are usually checked together. */
const WINDOW = 32 * 1024;
const LARGEST_PAGE = 65_536;

/** Receives the content of a data file, for a check that continues after a fault. */
export interface DataFileVisitor {
  /** An unreliable page; its descendants are not checked. */
  fault(error: KeyValueError): void;
  /** A record, in key order. Both arguments are lent. */
  entry(key: Buffer, value: Buffer): void;
}

/**
 * Throws Corrupt if a data file is not LMDB's, is truncated, or has damaged pages in its trees. Call it before LMDB
 * opens the file: LMDB maps it into memory, and a missing or invalid page crashes the process. Values are not read,
 * only located; for 10,000 objects of 1 KiB it takes some 10 ms.
 *
 * With a `visitor` it reads everything that is reachable, including values, and only throws if nothing is.
 */
export function checkDataFile(path: string, visitor?: DataFileVisitor): void {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    // LMDB initialises an empty file, which a killed start may leave.
    if (size > 0) new DataFileCheck(path, file, size, visitor).check();
  } finally {
    closeSync(file);
  }
}

/** A value on separate pages, as a node refers to it. `key` is only set if the value is needed. */
interface BigValue {
  readonly key: Buffer | undefined;
  readonly dataAt: number;
  readonly size: number;
}

class DataFileCheck {
  readonly #path: string;
  readonly #file: number;
  readonly #size: number;
  readonly #meta: DataFileMeta;
  /** By depth: the pages around the current one. */
  readonly #windows: PageWindow[] = [];
  readonly #header = Buffer.alloc(PAGE_HEADER);
  /** Pages that a node has already referred to. */
  readonly #seen: Uint8Array;
  readonly #visitor: DataFileVisitor | undefined;
  /** Receives the records of the current tree. */
  #entry: DataFileVisitor['entry'] | undefined;
  /** For the tree with the records; keys of the other one are numbers in the machine's byte order. */
  #order: KeyOrder | undefined;

  constructor(path: string, file: number, size: number, visitor: DataFileVisitor | undefined) {
    this.#path = path;
    this.#file = file;
    this.#size = size;
    this.#visitor = visitor;
    this.#meta = this.#newestMeta();
    this.#seen = new Uint8Array(this.#meta.lastPage + 1);
  }

  check(): void {
    for (const [i, { root, depth }] of this.#meta.trees.entries()) {
      this.#entry = i === RECORDS ? this.#visitor?.entry.bind(this.#visitor) : undefined;
      this.#order = i === RECORDS ? new KeyOrder() : undefined;
      if (depth > MAX_DEPTH) this.#report(this.#damaged(`a tree has the depth ${depth}`));
      else if (root !== undefined) this.#checkTree(root, depth, 0);
    }
  }

  /** Throws, unless all faults are collected. */
  #report(error: unknown): void {
    if (this.#visitor === undefined || !isKeyValueError(error)) throw error;
    this.#visitor.fault(error);
  }

  #checkTree(number: number, levels: number, depth: number): void {
    try {
      this.#checkPage(number, levels, depth);
    } catch (error) {
      this.#report(error);
    }
  }

  #newestMeta(): DataFileMeta {
    const first = this.#metaAt(0);
    const { pageSize } = first;
    const valid = pageSize >= 512 && pageSize <= LARGEST_PAGE && (pageSize & (pageSize - 1)) === 0;
    if (!valid) throw this.#damaged(`its pages have ${pageSize} bytes`);
    const second = this.#metaAt(pageSize);
    if (second.pageSize !== pageSize) throw this.#damaged('its two beginnings do not agree');
    const newest = first.transaction >= second.transaction ? first : second;
    // A file may end before its last page if that page is free; there is no limit on the difference.
    if (newest.lastPage > 2 ** 32) throw this.#damaged(`its last page is ${newest.lastPage}`);
    return newest;
  }

  #metaAt(at: number): DataFileMeta {
    const page = Buffer.alloc(META_BYTES);
    const got = readSync(this.#file, page, 0, META_BYTES, at);
    if (got < META_BYTES) throw this.#cutOff();
    return readMetaPage(page, this.#path);
  }

  /** Checks a page by 16-bit words, the unit of offsets and sizes: this is fastest. */
  #checkPage(number: number, levels: number, depth: number): void {
    const { pageSize } = this.#meta;
    this.#claim(number, 1);
    const window = this.#windowAt(depth);
    const page = window.page(number);
    if (page === undefined) throw this.#cutOff();
    const { words, bytes } = window;
    const first = page >> 1;
    const expected = levels === 1 ? LEAF : BRANCH;
    if (readLong(bytes, page) !== number || ((words[first + 9] ?? 0) & (BRANCH | LEAF | OVERFLOW)) !== expected) {
      throw this.#damaged(`page ${number} is not what it is named as`);
    }
    const lower = words[first + 10] ?? 0;
    const upper = words[first + 11] ?? 0;
    // The first node limits `upper`.
    if (lower === 0 || lower % 2 !== 0 || lower > upper) throw this.#damagedPage(number);
    const pointers = first + PAGE_HEADER / 2;
    for (let i = 0; i < lower / 2; i++) {
      const at = PAGE_HEADER + (words[pointers + i] ?? 0);
      if (at % 2 !== 0 || at < PAGE_HEADER + upper || at + NODE_HEADER > pageSize) throw this.#damagedPage(number);
      const node = (page + at) >> 1;
      const dataAt = at + NODE_HEADER + (words[node + 3] ?? 0);
      if (dataAt > pageSize) throw this.#damagedPage(number);
      // The first key of a branch is absent: it means everything smaller.
      const isKey = levels === 1 || i > 0;
      if (isKey && this.#order?.take(bytes, page + at + NODE_HEADER, page + dataAt, levels > 1) === false) {
        this.#report(this.#damaged(`the keys of page ${number} are not in order`));
      }
      const low = (words[node] ?? 0) + (words[node + 1] ?? 0) * 0x10000;
      const flags = words[node + 2] ?? 0;
      if (levels > 1) this.#checkTree(low + flags * 2 ** 32, levels - 1, depth + 1);
      else if ((flags & BIG_VALUE) !== 0) {
        const key = this.#entry && bytes.subarray(page + at + NODE_HEADER, page + dataAt);
        this.#checkBigValue(bytes.subarray(page, page + pageSize), { key, dataAt, size: low });
      } else if (dataAt + low > pageSize) throw this.#damagedPage(number);
      else {
        this.#entry?.(
          bytes.subarray(page + at + NODE_HEADER, page + dataAt),
          bytes.subarray(page + dataAt, page + dataAt + low),
        );
      }
    }
  }

  #checkBigValue(page: Buffer, { key, dataAt, size }: BigValue): void {
    const number = readLong(page, 0);
    if (dataAt + PAGE_HEADER > page.length) throw this.#damagedPage(number);
    const first = readLong(page, dataAt);
    const pages = readLong(page, dataAt + 16);
    if (pages !== Math.ceil((size + PAGE_HEADER) / page.length)) throw this.#damagedPage(number);
    this.#claim(first, pages);
    if ((first + pages) * page.length > this.#size) throw this.#cutOff();
    readSync(this.#file, this.#header, 0, PAGE_HEADER, first * page.length);
    if (readLong(this.#header, 0) !== first || (this.#header.readUInt16LE(18) & OVERFLOW) === 0) {
      throw this.#damaged(`page ${first} is not what it is named as`);
    }
    if (key === undefined || this.#entry === undefined) return;
    const value = Buffer.alloc(size);
    if (readSync(this.#file, value, 0, size, first * page.length + PAGE_HEADER) < size) throw this.#cutOff();
    this.#entry(key, value);
  }

  /** Each page has one place. */
  #claim(first: number, pages: number): void {
    const end = first + pages;
    if (first < META_PAGES || end > this.#seen.length) throw this.#damaged(`it has no page ${end - 1}`);
    for (let number = first; number < end; number++) {
      if (this.#seen[number] === 1) throw this.#damaged(`page ${number} is named twice`);
      this.#seen[number] = 1;
    }
  }

  #windowAt(depth: number): PageWindow {
    const window = this.#windows[depth] ?? new PageWindow(this.#file, this.#meta.pageSize);
    this.#windows[depth] = window;
    return window;
  }

  #damagedPage(number: number): KeyValueError {
    return this.#damaged(`page ${number} makes no sense`);
  }

  #damaged(what: string): KeyValueError {
    return new KeyValueError('Corrupt', `${this.#path} is damaged: ${what}`);
  }

  #cutOff(): KeyValueError {
    return new KeyValueError('Corrupt', `${this.#path} is damaged: it was cut off at ${this.#size} bytes`);
  }
}

/** A part of the file that contains the requested page, and some after it. */
class PageWindow {
  readonly bytes: Buffer;
  readonly words: Uint16Array;
  readonly #file: number;
  readonly #pageSize: number;
  #first = 0;
  #length = 0;

  constructor(file: number, pageSize: number) {
    this.#file = file;
    this.#pageSize = pageSize;
    const memory = new ArrayBuffer(Math.max(pageSize, WINDOW));
    this.bytes = Buffer.from(memory);
    this.words = new Uint16Array(memory);
  }

  /** Offset of the page in `bytes`; undefined if the file ends before its end. */
  page(number: number): number | undefined {
    const at = number * this.#pageSize;
    if (at < this.#first || at + this.#pageSize > this.#first + this.#length) {
      this.#first = at;
      this.#length = readSync(this.#file, this.bytes, 0, this.bytes.length, at);
      if (this.#length < this.#pageSize) return undefined;
    }
    return at - this.#first;
  }
}

/**
 * Checks the order of keys. A search that meets a misplaced key misses others, which are then neither read nor
 * replaced.
 */
class KeyOrder {
  #last = Buffer.alloc(64);
  #length = 0;
  /** True if the last key separates two pages: the next one may be equal. */
  #isSeparator = true;

  /** False if the key at `start` is smaller than the last one. */
  take(bytes: Buffer, start: number, end: number, isSeparator: boolean): boolean {
    const length = end - start;
    const known = Math.min(length, this.#length);
    let same = 0;
    while (same < known && bytes[start + same] === this.#last[same]) same++;
    const isGreater = same === known ? length > known : (bytes[start + same] ?? 0) > (this.#last[same] ?? 0);
    const isInOrder = isGreater || (same === length && length === this.#length && this.#isSeparator);
    if (length > this.#last.length) this.#last = Buffer.concat([this.#last.subarray(0, same)], 2 * length);
    for (let i = same; i < length; i++) this.#last[i] = bytes[start + i] ?? 0;
    this.#length = length;
    this.#isSeparator = isSeparator;
    return isInOrder;
  }
}
