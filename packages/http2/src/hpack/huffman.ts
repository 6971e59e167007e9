import { Http2Code, Http2Error } from '../frames/frame-types.js';

/**
 * Code length of each byte in bits, and last that of the end-of-string symbol. The codes follow from the lengths: they
 * are ordered by length, then by byte. Upstream: RFC 7541, appendix B
 */
export const LENGTHS = [
  ...[13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28],
  ...[28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15],
  ...[6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  ...[15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  ...[20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23],
  ...[22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23],
  ...[20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27],
  ...[27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  ...[26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30],
];
const MAX_CODE_BITS = 30;
const END = 256;
const MIN_CODE_BITS = 5;
/** Number of bits in which one or two symbols are looked up. */
const PAIR_BITS = 12;
const PAIR_MASK = 2 ** PAIR_BITS - 1;
/** Number of bits in each further step for a longer code. */
const STEP = 8;
const STEP_MASK = 2 ** STEP - 1;
/** The low bits of a symbol's entry that hold its length; the symbol is above them. */
const LENGTH_BITS = 5;
const LENGTH_MASK = 2 ** LENGTH_BITS - 1;
/** Fields of a pair's entry: the first symbol, the second one, their bits, their number. */
const SECOND_SHIFT = 8;
const BITS_SHIFT = 16;
const BITS_MASK = 15;
const NUMBER_SHIFT = 20;

/** A text of which a beginning is decoded. */
export interface DecodedText {
  /** Room for what the bytes at hand can stand for. It grows with them: the length is only a promise of the client. */
  bytes: Buffer;
  /** Maximum number of decoded bytes. */
  readonly maxLength: number;
  /** Number of decoded bytes. */
  size: number;
  /** Number of bits that they took. */
  bits: number;
}

/** The bytes of a text that are at hand. */
interface TextPart {
  readonly begin: number;
  readonly end: number;
  /** No further ones follow. */
  readonly isLast: boolean;
}

const NO_BYTES = Buffer.alloc(0);

/** A text before its first part. */
export function newDecodedText(maxLength: number): DecodedText {
  return { bytes: NO_BYTES, maxLength, size: 0, bits: 0 };
}

/** Its room doubles, so that many short parts cost no more than few. */
function makeRoom(text: DecodedText, encodedBytes: number): void {
  const needed = Math.min(Math.floor((encodedBytes * 8) / MIN_CODE_BITS), text.maxLength);
  if (needed <= text.bytes.length) return;
  const { length } = text.bytes;
  const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(2 * length, text.maxLength)));
  text.bytes.copy(larger, 0, 0, text.size);
  text.bytes = larger;
}

let shared: HuffmanDecoder | undefined;

/** A shared decoder: it keeps no state between strings. */
export function huffmanDecoder(): HuffmanDecoder {
  shared ??= new HuffmanDecoder();
  return shared;
}

/** Decodes Huffman-coded text. Upstream: RFC 7541, section 5.2 */
export class HuffmanDecoder {
  /** By the bits looked up: the symbols whose codes they hold; 0 for a longer code. */
  readonly #pairs: Int32Array;
  /**
   * Tables of a step each, the first one at 0. An entry is positive for a code that ends in the step, and the negative
   * offset of another table for a longer code.
   */
  readonly #steps: Int16Array;

  constructor() {
    const tables: number[][] = [];
    addTable(tables);
    let code = 0;
    for (let length = 1; length <= MAX_CODE_BITS; length++) {
      for (let symbol = 0; symbol < LENGTHS.length; symbol++) {
        if (LENGTHS[symbol] === length) addCode(tables, symbol, code++, length);
      }
      code *= 2;
    }
    this.#steps = Int16Array.from(tables.flat());
    this.#pairs = Int32Array.from({ length: 2 ** PAIR_BITS }, (_, bits) => this.#pair(bits));
  }

  /**
   * Decodes the bytes from `begin` to `end`; each character stands for a byte. Throws Http2Error for an invalid code,
   * and for text of more than `maxLength` characters.
   */
  decode(bytes: Uint8Array, begin = 0, end = bytes.length, maxLength = Number.POSITIVE_INFINITY): string {
    const text = newDecodedText(maxLength);
    this.decodePart(text, bytes, { begin, end, isLast: true });
    return text.bytes.toString('latin1', 0, text.size);
  }

  /**
   * Decodes more of the bytes of a text. They begin at `begin`, and `end` is the end of those at hand. Before the last
   * part, it stops where a code may be incomplete. Throws like `decode`.
   */
  decodePart(text: DecodedText, bytes: Uint8Array, { begin, end, isLast }: TextPart): void {
    makeRoom(text, end - begin);
    const pairs = this.#pairs;
    const { bytes: decoded, maxLength } = text;
    const origin = begin * 8;
    const last = end * 8;
    const stop = isLast ? last + 1 : last - MAX_CODE_BITS;
    /** Three bytes and room for two symbols are left. */
    const lastPair = Math.min(last - 24, stop);
    const roomForPair = decoded.length - 2;
    let { size } = text;
    let bit = origin + text.bits;
    while (bit < stop) {
      if (bit <= lastPair && size <= roomForPair) {
        const at = bit >>> 3;
        const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
        const pair = pairs[(three >>> (24 - PAIR_BITS - (bit & 7))) & PAIR_MASK] ?? 0;
        if (pair !== 0) {
          decoded[size] = pair;
          decoded[size + 1] = pair >>> SECOND_SHIFT;
          size += pair >>> NUMBER_SHIFT;
          bit += (pair >>> BITS_SHIFT) & BITS_MASK;
          continue;
        }
      }
      const next = this.#next(bytes, bit, last);
      if (next < 0) break;
      if (size >= maxLength) throw tooLong();
      decoded[size++] = next >>> LENGTH_BITS;
      bit += next & LENGTH_MASK;
    }
    text.size = size;
    text.bits = bit - origin;
  }

  /** Decodes the symbol at a bit offset, with its length; -1 when only padding is left. */
  #next(bytes: Uint8Array, bit: number, last: number): number {
    let table = 0;
    for (let from = bit; from < last; from += STEP) {
      const at = from >>> 3;
      const two = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      const entry = this.#steps[table + ((two >>> (STEP - (from & 7))) & STEP_MASK)] ?? 0;
      if (entry < 0) {
        table = -entry;
        continue;
      }
      if (from + (entry & LENGTH_MASK) > last) break;
      if (entry >>> LENGTH_BITS === END) throw malformed();
      return entry + from - bit;
    }
    // Padding consists of ones, fewer than eight.
    const ones = 2 ** (last - bit) - 1;
    if (last - bit >= 8 || ((bytes[(last >>> 3) - 1] ?? 0) & ones) !== ones) throw malformed();
    return -1;
  }

  #pair(bits: number): number {
    const two = Uint8Array.of(bits >>> (PAIR_BITS - 8), (bits << (16 - PAIR_BITS)) & 255);
    const first = this.#short(two, 0);
    if (first === 0) return 0;
    const length = first & LENGTH_MASK;
    const second = this.#short(two, length);
    const symbols = (first >>> LENGTH_BITS) | ((second >>> LENGTH_BITS) << SECOND_SHIFT);
    const number = second === 0 ? 1 : 2;
    return symbols | ((length + (second & LENGTH_MASK)) << BITS_SHIFT) | (number << NUMBER_SHIFT);
  }

  /** The symbol at an offset of the bits of a pair, with its length; 0 if its code is longer. */
  #short(two: Uint8Array, bit: number): number {
    const bits = ((two[0] ?? 0) << 8) | (two[1] ?? 0);
    const entry = this.#steps[(bits >>> (STEP - bit)) & STEP_MASK] ?? 0;
    return entry > 0 && bit + (entry & LENGTH_MASK) <= PAIR_BITS ? entry : 0;
  }
}

/** Adds an empty table, and returns its offset. */
function addTable(tables: number[][]): number {
  tables.push(new Array<number>(2 ** STEP).fill(0));
  return (tables.length - 1) * 2 ** STEP;
}

/** Adds the code of a symbol to the tables that its bits lead through. */
function addCode(tables: number[][], symbol: number, code: number, length: number): void {
  let table = tables[0] ?? [];
  let left = length;
  for (; left > STEP; left -= STEP) {
    const index = (code >>> (left - STEP)) & STEP_MASK;
    if (table[index] === 0) table[index] = -addTable(tables);
    table = tables[-(table[index] ?? 0) / 2 ** STEP] ?? [];
  }
  const spare = STEP - left;
  const begin = (code << spare) & STEP_MASK;
  table.fill((symbol << LENGTH_BITS) | left, begin, begin + 2 ** spare);
}

function malformed(): Http2Error {
  return new Http2Error(Http2Code.compressionError, 'a header has an invalid Huffman code');
}

/** Upstream: ErrStringLength of golang.org/x/net/http2/hpack */
function tooLong(): Http2Error {
  return new Http2Error(Http2Code.compressionError, 'a header is too long');
}
