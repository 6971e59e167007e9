import { Http2Code, Http2Error } from '../frames/frame-types.js';

/**
 * How many bits each byte's code has, and last that of the end of a text. The codes themselves follow: shorter before longer
 * ones, those of one length by the byte. Upstream: RFC 7541, appendix B
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
const LONGEST = 30;
const END = 256;

/** Reads texts in the code of RFC 7541. */
export class HuffmanDecoder {
  /** By length: the first code, and how many there are. */
  readonly #first: number[] = [];
  readonly #count: number[] = [];
  /** By length: the bytes, in the order of their codes. */
  readonly #symbols: number[][] = [];

  constructor() {
    let code = 0;
    for (let length = 1; length <= LONGEST; length++) {
      const symbols = [...LENGTHS.keys()].filter((symbol) => LENGTHS[symbol] === length);
      this.#first[length] = code;
      this.#count[length] = symbols.length;
      this.#symbols[length] = symbols;
      code = (code + symbols.length) * 2;
    }
  }

  /** Throws Http2Error for what is no such text. */
  decode(bytes: Uint8Array): string {
    const text: number[] = [];
    let code = 0;
    let length = 0;
    for (const byte of bytes) {
      for (let bit = 7; bit >= 0; bit--) {
        code = (code << 1) | ((byte >>> bit) & 1);
        length++;
        const symbol = this.#symbol(code, length);
        if (symbol === undefined) continue;
        if (symbol === END) throw malformed();
        text.push(symbol);
        code = 0;
        length = 0;
      }
    }
    // The last byte is filled up with ones, less than eight of them.
    if (length > 7 || code !== 2 ** length - 1) throw malformed();
    return Buffer.from(text).toString('latin1');
  }

  #symbol(code: number, length: number): number | undefined {
    if (length > LONGEST) throw malformed();
    const index = code - (this.#first[length] as number);
    return index >= 0 && index < (this.#count[length] as number) ? this.#symbols[length]?.[index] : undefined;
  }
}

function malformed(): Http2Error {
  return new Http2Error(Http2Code.compressionError, 'a header is not in the Huffman code');
}
