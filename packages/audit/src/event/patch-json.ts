import { Buffer } from 'node:buffer';
import { sliceTurn } from '@apiserver/apimachinery/clock';
import { BACKSLASH, checkJson, QUOTE } from '@apiserver/apimachinery/codec/json';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import { jsonText } from './event-json.js';

/** The first byte of U+2028 and U+2029, which are E2 80 A8 and E2 80 A9. */
const LINE_END = 0xe2;
/** Bytes of a patch that one step takes. */
const STEP = 64 * 1024;

/**
 * A patch as it stands in an event: JSON without blanks, with Go's escapes. Any other text becomes a JSON string;
 * upstream loses the event then, so that a client could hide its request. A large patch takes several turns of the
 * event loop.
 */
export function* patchJson(bytes: Uint8Array): Generator<Uint8Array | Promise<unknown>, void> {
  const isLarge = bytes.length > STEP;
  if (isLarge) yield sliceTurn();
  const isJson = isWellFormed(bytes);
  if (isLarge) yield sliceTurn();
  if (!isJson) return yield* quoted(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  const compactor = new Compactor();
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = characterEnd(bytes, at + STEP);
    yield compactor.take(bytes.subarray(at, end));
  }
}

function isWellFormed(bytes: Uint8Array): boolean {
  try {
    checkJson(bytes);
    return true;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return false;
  }
}

/** The first index from `at` on that begins a character. */
function characterEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end++;
  return Math.min(end, bytes.length);
}

function* quoted(text: string): Generator<Uint8Array, void> {
  yield Buffer.from('"');
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + STEP;
    // A pair of surrogates stays together.
    if (((text.charCodeAt(end) || 0) & 0xfc00) === 0xdc00) end++;
    yield Buffer.from(jsonText(text.slice(at, end)).slice(1, -1));
  }
  yield Buffer.from('"');
}

/** Leaves out the blanks between the tokens of well-formed JSON. Upstream: compact of encoding/json, with escapes */
class Compactor {
  #inString = false;
  #isEscaped = false;

  /** The result for the next part, which ends with a whole character. */
  take(part: Uint8Array): Uint8Array {
    const state = { inString: this.#inString, isEscaped: this.#isEscaped };
    const length = this.#write(part, undefined);
    if (length === part.length) return part;
    this.#inString = state.inString;
    this.#isEscaped = state.isEscaped;
    const compacted = Buffer.allocUnsafe(length);
    this.#write(part, compacted);
    return compacted;
  }

  /** Writes the result into `target`, or only counts its bytes. */
  #write(part: Uint8Array, target: Buffer | undefined): number {
    let length = 0;
    for (let i = 0; i < part.length; i++) {
      const byte = part[i] ?? 0;
      if (this.#isEscaped) {
        this.#isEscaped = false;
      } else if (!this.#inString) {
        if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
        this.#inString = byte === QUOTE;
      } else if (byte === BACKSLASH) {
        this.#isEscaped = true;
      } else if (byte === QUOTE) {
        this.#inString = false;
      } else if (byte === 0x3c || byte === 0x3e || byte === 0x26) {
        target?.write(`\\u00${byte.toString(16)}`, length, 'latin1');
        length += 6;
        continue;
      } else if (byte === LINE_END && part[i + 1] === 0x80 && ((part[i + 2] ?? 0) & 0xfe) === 0xa8) {
        target?.write(`\\u202${((part[i + 2] ?? 0) & 0x0f).toString(16)}`, length, 'latin1');
        length += 6;
        i += 2;
        continue;
      }
      if (target !== undefined) target[length] = byte;
      length++;
    }
    return length;
  }
}
