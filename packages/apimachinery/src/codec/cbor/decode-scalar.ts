import { isUtf8 } from 'node:buffer';
import { DecodeError } from '../../errors/decode-error.js';
import type { Json } from '../../types/json.js';
import { type CborCursor, MAJOR } from './cbor-cursor.js';
import { unacceptable } from './check-well-formed.js';

/** The conversion of byte strings to text, set by the innermost tag around them; undefined without one. */
export type LaterEncoding = BufferEncoding | undefined;

/** An integer of any size that CBOR allows, slightly more than 64 bits; a bigint beyond ±(2^53−1). */
export function readInteger(cursor: CborCursor): number | bigint {
  const major = cursor.major();
  const argument = cursor.argument();
  if (typeof argument === 'number' && argument < Number.MAX_SAFE_INTEGER) {
    return major === MAJOR.unsigned ? argument : -1 - argument;
  }
  const value = major === MAJOR.unsigned ? BigInt(argument) : -1n - BigInt(argument);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** A text string. Throws for bytes that are not UTF-8. */
export function decodeText(cursor: CborCursor): string {
  return cursor.string(checkUtf8).toString('utf8');
}

function checkUtf8(chunk: Buffer): void {
  for (const byte of chunk) {
    if (byte < 0x80) continue;
    if (isUtf8(chunk)) return;
    throw new DecodeError('syntax', 'cbor: invalid UTF-8 string');
  }
}

/** The text of a byte string. Invalid UTF-8 becomes U+FFFD, as in JSON. */
export function textOfBytes(bytes: Buffer, encoding: LaterEncoding): string {
  return bytes.toString(encoding ?? 'utf8');
}

/** False, true, null or a float. Throws for other simple values. */
export function decodePrimitive(cursor: CborCursor): Json {
  const value = cursor.argument();
  switch (cursor.info) {
    case 20:
    case 21:
      return cursor.info === 21;
    case 22:
      return null;
    case 25:
    case 26:
    case 27:
      return cursor.float(value);
    default:
      throw unacceptable('primitives', `simple value ${value} is not recognized`);
  }
}
