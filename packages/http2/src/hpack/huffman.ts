import { Http2Code, Http2Error } from '../frames/frame-types.js';

/**
 * Code length of each byte in bits, and last that of the end-of-string symbol. The codes follow from the lengths: they
 * are ordered by length, then by byte. Upstream: RFC 7541, appendix B
 */
const LENGTHS = [
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
/** Number of bits per lookup. The codes of letters, digits and the characters of paths are shorter. */
const PEEK = 9;
const PEEK_MASK = 2 ** PEEK - 1;
/** The low bits of an entry that hold the length of the code; the symbol is above them. */
const LENGTH_BITS = 5;
const LENGTH_MASK = 2 ** LENGTH_BITS - 1;

let shared: HuffmanDecoder | undefined;

/** A shared decoder: it keeps no state between strings. */
export function huffmanDecoder(): HuffmanDecoder {
  shared ??= new HuffmanDecoder();
  return shared;
}

/** Decodes Huffman-coded text. Upstream: RFC 7541, section 5.2 */
export class HuffmanDecoder {
  /** By length: the first code and the number of codes. */
  readonly #first: number[] = [];
  readonly #count: number[] = [];
  /** By length: the bytes, in the order of their codes. */
  readonly #symbols: number[][] = [];
  /** By the bits looked up: the first symbol in them and its length; 0 for longer codes. */
  readonly #short = new Uint16Array(2 ** PEEK);

  constructor() {
    let code = 0;
    for (let length = 1; length <= MAX_CODE_BITS; length++) {
      const symbols = [...LENGTHS.keys()].filter((symbol) => LENGTHS[symbol] === length);
      this.#first[length] = code;
      this.#count[length] = symbols.length;
      this.#symbols[length] = symbols;
      if (length <= PEEK) this.#rememberShort(code, length, symbols);
      code = (code + symbols.length) * 2;
    }
  }

  #rememberShort(first: number, length: number, symbols: readonly number[]): void {
    const spare = PEEK - length;
    symbols.forEach((symbol, index) => {
      const begin = (first + index) << spare;
      this.#short.fill((symbol << LENGTH_BITS) | length, begin, begin + 2 ** spare);
    });
  }

  /**
   * Decodes the bytes from `begin` to `end`; each character stands for a byte. Throws Http2Error for an invalid code.
   */
  decode(bytes: Uint8Array, begin = 0, end = bytes.length): string {
    const text = Buffer.allocUnsafe(Math.floor(((end - begin) * 8) / MIN_CODE_BITS));
    const last = end * 8;
    let size = 0;
    let bit = begin * 8;
    for (let next = this.#next(bytes, bit, last); next >= 0; next = this.#next(bytes, bit, last)) {
      const symbol = next >>> LENGTH_BITS;
      if (symbol === END) throw malformed();
      text[size++] = symbol;
      bit += next & LENGTH_MASK;
    }
    return text.toString('latin1', 0, size);
  }

  /** Decodes the symbol at a bit offset, with its length; -1 when only padding is left. */
  #next(bytes: Uint8Array, bit: number, last: number): number {
    const at = bit >>> 3;
    const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const short = this.#short[(three >>> (24 - PEEK - (bit & 7))) & PEEK_MASK] as number;
    return short !== 0 && bit + (short & LENGTH_MASK) <= last ? short : this.#long(bytes, bit, last);
  }

  /** Like `#next`, bit by bit. */
  #long(bytes: Uint8Array, bit: number, last: number): number {
    let code = 0;
    let length = 0;
    for (let at = bit; at < last; at++) {
      code = (code << 1) | (((bytes[at >>> 3] as number) >>> (7 - (at & 7))) & 1);
      length++;
      const symbol = this.#symbol(code, length);
      if (symbol !== undefined) return (symbol << LENGTH_BITS) | length;
    }
    // Padding consists of ones, fewer than eight.
    if (length > 7 || code !== 2 ** length - 1) throw malformed();
    return -1;
  }

  #symbol(code: number, length: number): number | undefined {
    if (length > MAX_CODE_BITS) throw malformed();
    const index = code - (this.#first[length] as number);
    return index >= 0 && index < (this.#count[length] as number) ? this.#symbols[length]?.[index] : undefined;
  }
}

function malformed(): Http2Error {
  return new Http2Error(Http2Code.compressionError, 'a header has an invalid Huffman code');
}
