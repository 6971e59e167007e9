import { LENGTHS } from '../hpack/huffman.js';

/** Bytes in Huffman's code. Upstream: RFC 7541, section 5.2 */
export function huffmanCoded(text: readonly number[]): Buffer {
  const all = codes();
  const bits = text.map((byte) => all[byte]).join('');
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  return Buffer.from(
    Array.from({ length: padded.length / 8 }, (_, at) => Number.parseInt(padded.slice(8 * at, 8 * at + 8), 2)),
  );
}

/** The code of each byte in binary. Codes follow one another by length, then by byte. */
function codes(): readonly string[] {
  const made: string[] = [];
  let code = 0;
  for (let length = 1; length <= Math.max(...LENGTHS); length++) {
    for (const [byte, bits] of LENGTHS.entries()) {
      if (bits === length) made[byte] = (code++).toString(2).padStart(length, '0');
    }
    code *= 2;
  }
  return made;
}
