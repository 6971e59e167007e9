import { Buffer } from 'node:buffer';
import { checkJson } from '@apiserver/apimachinery/codec/json';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import { jsonText } from './event-json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The first byte of U+2028 and U+2029, which are E2 80 A8 and E2 80 A9. */
const LINE_END = 0xe2;

/**
 * A patch as it stands in an event: JSON without blanks, with Go's escapes. Any other text becomes a JSON string;
 * upstream loses the event then, so that a client could hide its request.
 */
export function patchJson(bytes: Uint8Array): Uint8Array {
  try {
    checkJson(bytes);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return Buffer.from(jsonText(Buffer.from(bytes).toString()));
  }
  return compact(bytes);
}

/** Well-formed JSON without blanks between its tokens. Upstream: compact of encoding/json, with escapes */
function compact(bytes: Uint8Array): Uint8Array {
  const length = write(bytes, undefined);
  if (length === bytes.length) return bytes;
  const compacted = Buffer.allocUnsafe(length);
  write(bytes, compacted);
  return compacted;
}

/** Writes the result into `target`, or only counts its bytes. */
function write(bytes: Uint8Array, target: Buffer | undefined): number {
  let length = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (!inString) {
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      inString = byte === QUOTE;
    } else if (byte === BACKSLASH) {
      if (target !== undefined) target[length] = byte;
      length++;
      i++;
    } else if (byte === QUOTE) {
      inString = false;
    } else if (byte === 0x3c || byte === 0x3e || byte === 0x26) {
      target?.write(`\\u00${byte.toString(16)}`, length, 'latin1');
      length += 6;
      continue;
    } else if (byte === LINE_END && bytes[i + 1] === 0x80 && ((bytes[i + 2] ?? 0) & 0xfe) === 0xa8) {
      target?.write(`\\u202${((bytes[i + 2] ?? 0) & 0x0f).toString(16)}`, length, 'latin1');
      length += 6;
      i += 2;
      continue;
    }
    if (target !== undefined) target[length] = bytes[i] ?? 0;
    length++;
  }
  return length;
}
