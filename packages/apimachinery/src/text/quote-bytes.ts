import { Buffer, isUtf8 } from 'node:buffer';
import { INVALID_BYTES, quote, quoteWithBytes } from './quote.js';
import { utf8Length } from './utf8-length.js';

/**
 * Bytes in double quotes, as in messages (`%q` of upstream's format strings): a byte that is no UTF-8 prints as `\xff`.
 * Each character of the text is a byte.
 */
export function quoteBytes(bytes: string): string {
  const whole = Buffer.from(bytes, 'latin1');
  return isUtf8(whole) ? quote(whole.toString()) : quoteWithBytes(decoded(whole));
}

/** The text of UTF-8, where a lone surrogate stands for each byte that is none. `quoteWithBytes` prints it. */
export function textWithBytes(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : decoded(bytes);
}

/** Garbage is mostly short pieces, so all are decoded at once. A byte that is no UTF-8 becomes a lone surrogate. */
function decoded(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const size = utf8Length(bytes, at);
    if (size === 0) units[length++] = INVALID_BYTES + (bytes[at++] ?? 0);
    else {
      const code = codePoint(bytes, at, size);
      at += size;
      if (code > 0xffff) units[length++] = 0xd800 + ((code - 0x10000) >> 10);
      units[length++] = code > 0xffff ? 0xdc00 + (code & 0x3ff) : code;
    }
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

function codePoint(bytes: Uint8Array, at: number, size: number): number {
  const first = bytes[at] ?? 0;
  if (size === 1) return first;
  let code = first & (0x7f >> size);
  for (let i = 1; i < size; i++) code = (code << 6) | ((bytes[at + i] ?? 0) & 0x3f);
  return code;
}
