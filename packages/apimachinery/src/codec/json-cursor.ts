import { setOwn } from '../json/set-own.js';
import type { Json, JsonObject } from '../types/json.js';

/**
 * A reader of JSON text that is known to be well-formed. It gives what JSON.parse does not: the text of numbers, every
 * duplicate key, and Go's reading of ill-formed Unicode (each bad byte and each lone surrogate is U+FFFD).
 */
export class JsonCursor {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The first byte of the next token, not consumed. */
  peek(): number {
    const { bytes } = this;
    for (;;) {
      const c = bytes[this.at] ?? 0;
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return c;
      this.at++;
    }
  }

  /** Consumes the next token if it is this byte. */
  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at++;
    return true;
  }

  /** The string at the cursor. */
  readString(): string {
    const start = this.at + 1;
    const end = this.#endOfString(start);
    this.at = end + 1;
    const body = this.bytes.subarray(start, end);
    return body.includes(0x5c) ? unescaped(body) : goUtf8(body);
  }

  /** The text of the literal at the cursor: a number, true, false or null. */
  readLiteral(): string {
    const start = this.at;
    while (!isDelimiter(this.bytes[this.at])) this.at++;
    return latin1(this.bytes.subarray(start, this.at));
  }

  /** Passes over the value at the cursor, of any depth, and returns its bytes. */
  skip(): Uint8Array {
    this.peek();
    const start = this.at;
    let depth = 0;
    do {
      const c = this.peek();
      if (c === 0x22) this.at = this.#endOfString(this.at + 1) + 1;
      else if (c === 0x7b || c === 0x5b) {
        depth++;
        this.at++;
      } else if (c === 0x7d || c === 0x5d) {
        depth--;
        this.at++;
      } else if (c === 0x2c || c === 0x3a) this.at++;
      else this.readLiteral();
    } while (depth > 0);
    return this.bytes.subarray(start, this.at);
  }

  #endOfString(start: number): number {
    let i = start;
    while (this.bytes[i] !== 0x22) i += this.bytes[i] === 0x5c ? 2 : 1;
    return i;
  }
}

function isDelimiter(c: number | undefined): boolean {
  return c === undefined || c <= 0x20 || c === 0x2c || c === 0x5d || c === 0x7d || c === 0x3a;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
]);

function unescaped(body: Uint8Array): string {
  let text = '';
  let i = 0;
  while (i < body.length) {
    const backslash = body.indexOf(0x5c, i);
    if (backslash === -1) return text.toWellFormed() + goUtf8(body.subarray(i));
    text += goUtf8(body.subarray(i, backslash));
    const c = body[backslash + 1] ?? 0;
    if (c === 0x75) {
      text += String.fromCharCode(Number.parseInt(latin1(body.subarray(backslash + 2, backslash + 6)), 16));
      i = backslash + 6;
    } else {
      text += SHORT_ESCAPES.get(c) ?? String.fromCharCode(c);
      i = backslash + 2;
    }
  }
  return text.toWellFormed();
}

/** UTF-8 text as Go reads it: every byte that is not part of a well-formed sequence is U+FFFD by itself. */
function goUtf8(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.includes('\ufffd') ? goUtf8Exact(bytes) : text;
}

function goUtf8Exact(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; ) {
    const size = sequenceLength(bytes, i);
    text += size === 0 ? '\ufffd' : Buffer.from(bytes.subarray(i, i + size)).toString('utf8');
    i += Math.max(size, 1);
  }
  return text;
}

/** Length of the well-formed UTF-8 sequence at `i`, or 0. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const first = bytes[i] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const decoded = Buffer.from(bytes.subarray(i, i + size)).toString('utf8');
  const isReplacement = first === 0xef && bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd;
  if (i + size > bytes.length || (decoded.includes('\ufffd') && !isReplacement)) return 0;
  return decoded.length === (size === 4 ? 2 : 1) ? size : 0;
}

/**
 * The value of well-formed JSON text, without JSON.parse's losses: integers that a double cannot hold are bigint; of
 * duplicate keys the last one counts, at the place of the first.
 */
export function parseJsonExact(bytes: Uint8Array): Json {
  return readValue(new JsonCursor(bytes));
}

function readValue(cursor: JsonCursor): Json {
  const c = cursor.peek();
  if (c === 0x7b) return readObject(cursor);
  if (c === 0x5b) return readArray(cursor);
  if (c === 0x22) return cursor.readString();
  return literalValue(cursor.readLiteral());
}

function readObject(cursor: JsonCursor): JsonObject {
  const object: JsonObject = {};
  cursor.at++;
  while (!cursor.take(0x7d)) {
    cursor.take(0x2c);
    cursor.peek();
    const key = cursor.readString();
    cursor.take(0x3a);
    setOwn(object, key, readValue(cursor));
  }
  return object;
}

function readArray(cursor: JsonCursor): Json[] {
  const array: Json[] = [];
  cursor.at++;
  while (!cursor.take(0x5d)) {
    cursor.take(0x2c);
    array.push(readValue(cursor));
  }
  return array;
}

function literalValue(text: string): Json {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return numberValue(text);
}

/** The number a literal stands for: integers exactly, everything else as a double. */
export function numberValue(text: string): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value) || /[.eE]/.test(text)) return value;
  return BigInt(text);
}
