import { DecodeError } from '../../errors/decode-error.js';

/** The kinds of CBOR data items, by the three high bits of their first byte. Upstream: RFC 8949, section 3.1 */
export const MAJOR = {
  unsigned: 0,
  negative: 1,
  bytes: 2,
  text: 3,
  array: 4,
  map: 5,
  tag: 6,
  primitive: 7,
} as const;

/** The low five bits of a head without a length: items follow up to a break. */
export const INDEFINITE = 31;
/** Ends an item of indefinite length. */
export const BREAK = 0xff;

const NAMES = [
  'positive integer',
  'negative integer',
  'byte string',
  'UTF-8 text string',
  'array',
  'map',
  'tag',
  'primitives',
] as const;

/** The name of a major type in messages. */
export function majorName(major: number): string {
  return NAMES[major] ?? `Invalid type ${major}`;
}

/** Faults after which the rest is not looked at. An error takes some microseconds. */
const MAX_FAULTS = 1_000;

/** Items that are decoded between two pauses: less than five milliseconds of work. */
const SLICE_ITEMS = 4_096;

/** Work of all readers of one object. */
interface CborWork {
  /** Items since the last pause. */
  items: number;
  faults: number;
}

/** A reader of CBOR that `checkWellFormed` has accepted: it checks no bounds. */
export class CborCursor {
  readonly bytes: Buffer;
  at: number;
  /** The low five bits of the last head. */
  info = 0;
  readonly #work: CborWork;
  #fault: DecodeError | undefined;
  #faults = 0;

  /** A reader of a part of an object shares the bounds of `outer`, the reader of the object. */
  constructor(bytes: Uint8Array, at = 0, outer?: CborCursor) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.#work = outer === undefined ? { items: 0, faults: 0 } : outer.#work;
  }

  /** The first byte of the next item, not consumed. */
  peek(): number {
    return this.bytes[this.at] as number;
  }

  /** The major type of the next item, not consumed. */
  major(): number {
    return this.peek() >> 5;
  }

  /** Reports whether null or undefined comes next. */
  isNil(): boolean {
    const first = this.peek();
    return first === 0xf6 || first === 0xf7;
  }

  /** Consumes a head and returns its argument: a value, a length, a tag number, or the bits of a float. */
  argument(): number | bigint {
    const { bytes } = this;
    const info = (bytes[this.at++] as number) & 0x1f;
    this.info = info;
    if (info < 24 || info === INDEFINITE) return info;
    const size = 1 << (info - 24);
    this.at += size;
    if (size < 8) return bytes.readUIntBE(this.at - size, size);
    const value = bytes.readBigUInt64BE(this.at - size);
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  /** Consumes the break that ends an item of indefinite length, if it comes next. */
  takeBreak(): boolean {
    if (this.peek() !== BREAK) return false;
    this.at++;
    return true;
  }

  /** Consumes the head of an array or map. Returns its number of elements or keys; infinite if a break ends it. */
  open(): number {
    const count = Number(this.argument());
    return this.info === INDEFINITE ? Number.POSITIVE_INFINITY : count;
  }

  /** Reports whether an array or map of `count` has an element or key of this index. Consumes the break behind it. */
  hasItem(index: number, count: number): boolean {
    return count === Number.POSITIVE_INFINITY ? !this.takeBreak() : index < count;
  }

  /** The first fault of an item: the others are decoded all the same, as upstream. */
  get fault(): DecodeError | undefined {
    return this.#fault;
  }

  /** Number of faults so far. */
  get faults(): number {
    return this.#faults;
  }

  /**
   * Notes the fault of the item at `start`, and skips the item. Throws an error that is no DecodeError, and the first
   * fault once there are too many.
   */
  passOver(start: number, error: unknown): void {
    if (!(error instanceof DecodeError)) throw error;
    this.#note(error, this.#fault);
    if (this.#work.faults > MAX_FAULTS) this.throwFault();
    this.at = start;
    this.skip();
  }

  /** Notes a fault of the keys of a map instead of the faults in the map, and skips its rest from `index` on. */
  leaveMap(fault: DecodeError, before: DecodeError | undefined, index: number, count: number): void {
    this.#note(fault, before);
    for (let i = index; this.hasItem(i, count); i++) {
      this.skip();
      this.skip();
    }
  }

  /** Counts a fault that waits for those of all items. Reports whether there are too many to look any further. */
  countFault(): boolean {
    return ++this.#work.faults > MAX_FAULTS;
  }

  #note(fault: DecodeError, before: DecodeError | undefined): void {
    this.#fault = before ?? fault;
    this.#faults++;
    this.#work.faults++;
  }

  /** Throws the first fault, if there was one. */
  throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Counts an item; returns true if it is time for a pause. */
  isPause(): boolean {
    if (++this.#work.items < SLICE_ITEMS) return false;
    this.#work.items = 0;
    return true;
  }

  /** Consumes a byte or text string and joins its chunks. `check` is called for each chunk. */
  string(check?: (chunk: Buffer) => void): Buffer {
    const length = Number(this.argument());
    if (this.info !== INDEFINITE) return this.#chunk(length, check);
    const chunks: Buffer[] = [];
    while (!this.takeBreak()) chunks.push(this.#chunk(Number(this.argument()), check));
    return Buffer.concat(chunks);
  }

  /** The number of a float, after its head; `bits` is the result of `argument`. */
  float(bits: number | bigint): number {
    const { bytes, at, info } = this;
    if (info === 27) return bytes.readDoubleBE(at - 8);
    return info === 26 ? bytes.readFloatBE(at - 4) : halfFloat(Number(bits));
  }

  /** Skips the next item with its tags and returns its bytes. */
  skip(): Buffer {
    const start = this.at;
    this.#pass();
    return this.bytes.subarray(start, this.at);
  }

  #pass(): void {
    while (this.major() === MAJOR.tag) this.argument();
    const major = this.major();
    if (major === MAJOR.bytes || major === MAJOR.text) this.#passString();
    else if (major === MAJOR.array || major === MAJOR.map) {
      const count = this.open();
      for (let i = 0; this.hasItem(i, count); i++) {
        this.#pass();
        if (major === MAJOR.map) this.#pass();
      }
    } else this.argument();
  }

  #passString(): void {
    const length = Number(this.argument());
    if (this.info !== INDEFINITE) {
      this.at += length;
      return;
    }
    while (!this.takeBreak()) {
      // The head moves the cursor too.
      const chunk = Number(this.argument());
      this.at += chunk;
    }
  }

  #chunk(length: number, check: ((chunk: Buffer) => void) | undefined): Buffer {
    const chunk = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    check?.(chunk);
    return chunk;
  }
}

/** Decodes a half-precision float. */
export function halfFloat(bits: number): number {
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
