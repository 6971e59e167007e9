import { DecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';
import { utf8Length } from '../../text/utf8-length.js';
import type { Json, JsonObject } from '../../types/json.js';

// Not imported from json-bytes.ts: V8 does not fold an imported constant into its loops.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * A reader of well-formed JSON text. Unlike JSON.parse it gives the text of numbers and every duplicate key. It also
 * reads ill-formed Unicode like Go: each bad byte and each lone surrogate is U+FFFD.
 */
export class JsonCursor {
  readonly bytes: Uint8Array;
  at = 0;
  /** The same bytes. */
  readonly #text: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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

  /**
   * Consumes an object's next key and the colon after it. At the end of the object consumes that, and returns
   * undefined.
   */
  nextKey(): string | undefined {
    if (this.take(CLOSE_BRACE)) return undefined;
    this.take(COMMA);
    this.peek();
    const key = this.readString();
    this.take(COLON);
    return key;
  }

  /** Advances to an array's next element. At the end of the array consumes that, and returns false. */
  nextElement(): boolean {
    if (this.take(CLOSE_BRACKET)) return false;
    this.take(COMMA);
    return true;
  }

  /** The string at the cursor. */
  readString(): string {
    const { bytes } = this;
    const start = this.at + 1;
    let end = start;
    let all = 0;
    let isEscaped = false;
    for (let c = bytes[end] as number; c !== QUOTE; c = bytes[++end] as number) {
      all |= c;
      if (c !== BACKSLASH) continue;
      isEscaped = true;
      end++;
    }
    this.at = end + 1;
    if (isEscaped) return unescaped(bytes.subarray(start, end));
    return all < 0x80 ? this.#text.toString('latin1', start, end) : goUtf8(bytes.subarray(start, end));
  }

  /** The text of the string at the cursor, with its quotes and escapes. */
  readQuoted(): string {
    const start = this.at;
    this.at = this.#endOfString(start + 1) + 1;
    return goUtf8(this.bytes.subarray(start, this.at));
  }

  /** The text of the literal at the cursor: a number, true, false or null. */
  readLiteral(): string {
    const start = this.at;
    while (!isDelimiter(this.bytes[this.at])) this.at++;
    return this.#text.toString('latin1', start, this.at);
  }

  /** Skips the value at the cursor, of any depth, and returns its bytes. */
  skip(): Uint8Array {
    this.peek();
    const start = this.at;
    this.pass();
    return this.bytes.subarray(start, this.at);
  }

  /** Skips the value at the cursor, of any depth. */
  pass(): void {
    let depth = 0;
    do {
      const c = this.peek();
      if (c === QUOTE) this.at = this.#endOfString(this.at + 1) + 1;
      else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        depth++;
        this.at++;
      } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
        depth--;
        this.at++;
      } else if (c === COMMA || c === COLON) this.at++;
      else while (!isDelimiter(this.bytes[this.at])) this.at++;
    } while (depth > 0);
  }

  #endOfString(start: number): number {
    let i = start;
    while (this.bytes[i] !== QUOTE) i += this.bytes[i] === BACKSLASH ? 2 : 1;
    return i;
  }
}

function isDelimiter(c: number | undefined): boolean {
  return c === undefined || c <= 0x20 || c === COMMA || c === CLOSE_BRACKET || c === CLOSE_BRACE || c === COLON;
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

/** Unescapes text. JSON.parse agrees with Go except for ill-formed Unicode. */
function unescaped(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
  if (text.includes('\ufffd')) return unescapedExact(body);
  return (JSON.parse(`"${text}"`) as string).toWellFormed();
}

function unescapedExact(body: Uint8Array): string {
  let text = '';
  let i = 0;
  while (i < body.length) {
    const backslash = body.indexOf(BACKSLASH, i);
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

/** UTF-8 text as Go reads it: each byte outside a well-formed sequence becomes one U+FFFD. */
function goUtf8(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.includes('\ufffd') ? goUtf8Exact(bytes) : text;
}

const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;

function goUtf8Exact(bytes: Uint8Array): string {
  const out = Buffer.allocUnsafe(3 * bytes.length);
  let at = 0;
  for (let i = 0; i < bytes.length; ) {
    const size = utf8Length(bytes, i);
    if (size === 0) for (const byte of REPLACEMENT) out[at++] = byte;
    for (let k = 0; k < size; k++) out[at++] = bytes[i + k] as number;
    i += Math.max(size, 1);
  }
  return out.toString('utf8', 0, at);
}

/**
 * The value of well-formed JSON text, without JSON.parse's losses. Integers beyond a double are bigint; the last of
 * duplicate keys wins, at the place of the first.
 */
export function parseJsonExact(bytes: Uint8Array): Json {
  return readValue(new JsonCursor(bytes));
}

function readValue(cursor: JsonCursor): Json {
  const c = cursor.peek();
  if (c === OPEN_BRACE) return readObject(cursor);
  if (c === OPEN_BRACKET) return readArray(cursor);
  if (c === QUOTE) return cursor.readString();
  return literalValue(cursor.readLiteral());
}

function readObject(cursor: JsonCursor): JsonObject {
  const object: JsonObject = {};
  cursor.at++;
  while (!cursor.take(CLOSE_BRACE)) {
    cursor.take(COMMA);
    cursor.peek();
    const key = cursor.readString();
    cursor.take(COLON);
    setOwn(object, key, readValue(cursor));
  }
  return object;
}

function readArray(cursor: JsonCursor): Json[] {
  const array: Json[] = [];
  cursor.at++;
  while (!cursor.take(CLOSE_BRACKET)) {
    cursor.take(COMMA);
    array.push(readValue(cursor));
  }
  return array;
}

/** The value of a literal: null, a boolean, or a number as `numberValue` reads it. */
export function literalValue(text: string): Json {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return numberValue(text);
}

/**
 * The number of a literal: integers exactly, everything else as a double. Throws DecodeError beyond a double's range,
 * as upstream: an integer of millions of digits would take seconds.
 */
function numberValue(text: string): number | bigint {
  const value = Number(text);
  if (!Number.isFinite(value)) {
    throw new DecodeError('type', `json: cannot unmarshal number ${text} into Go value of type float64`);
  }
  if (Number.isSafeInteger(value) || /[.eE]/.test(text)) return value;
  return BigInt(text);
}
