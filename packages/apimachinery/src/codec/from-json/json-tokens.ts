import { isUtf8 } from 'node:buffer';
import type { KnownTexts } from './known-texts.js';

/** Longer texts are refused: decoding in steps is for them. */
const MAX_LENGTH = 256 * 1024;
/** Texts that nest deeper are refused. */
const MAX_DEPTH = 64;
const FIRST_LENGTH = 4 * 1024;
/** Memory above is not kept for a short text. */
const MAX_KEPT = 128 * 1024;
/** Numbers with more characters are refused: they may be beyond 2^53. */
const MAX_NUMBER = 15;

export const QUOTE = 0x22;
export const OPEN_BRACE = 0x7b;
export const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const ONE = 0x31;
const NINE = 0x39;
/** From the last character of a name to the value. */
const BEFORE_OBJECT = 3;
/** From an opening brace or bracket to the closing one, in ASCII. */
const TO_CLOSING = 2;
const SPACE = 0x20;
const LOWER_U = 0x75;
const HIGH_BIT = 0x80;

const [TRUE, FALSE, NULL] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];

/** By byte: 1 for a character of ASCII that stands for itself in a string. */
const PLAIN = new Uint8Array(256).fill(1, SPACE, HIGH_BIT);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

/** By the character after a backslash: the character that it stands for; 0 for others. */
const ESCAPES = new Uint8Array(128);
for (const pair of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  ESCAPES[pair.charCodeAt(0)] = pair.charCodeAt(1);
}

/**
 * The tokens of one JSON text at a time, in memory that is used again: no objects are made. Only plain texts are read:
 * no spaces, integers of at most 15 digits, valid UTF-8, no escaped surrogates. Other texts need a parser.
 *
 * A token is a value or the name of a member. An object is followed by its names and values in turn, an array by its
 * items.
 */
export class JsonTokens {
  /** The text, but strings are without escapes. */
  memory: Buffer = Buffer.allocUnsafeSlow(FIRST_LENGTH);
  /** By token: the place of its first byte. */
  starts: Int32Array = new Int32Array(FIRST_LENGTH / 2);
  /** By token: the place after its last byte in the text. */
  ends: Int32Array = new Int32Array(FIRST_LENGTH / 2);
  /**
   * By token: for an object or array, the first token after its content. For a string, the place after its last
   * character in `memory`.
   */
  links: Int32Array = new Int32Array(FIRST_LENGTH / 2);
  /** A string has an escape that this server does not write into JSON without HTML escapes. */
  hasForeignEscapes = false;
  readonly #open = new Int32Array(MAX_DEPTH);
  readonly #known: KnownTexts | undefined;

  /** An object whose text is known has no tokens for its content: see `isOpaque`. */
  constructor(known?: KnownTexts) {
    this.#known = known;
  }

  /** Reads a text. Returns false if it is not plain; the tokens mean nothing then. */
  read(text: Uint8Array): boolean {
    const { length } = text;
    if (length > MAX_LENGTH) return false;
    this.#reserve(length);
    this.memory.set(text);
    this.hasForeignEscapes = false;
    return this.#read(length);
  }

  /** The first token after a value. */
  after(token: number): number {
    const first = this.memory[this.starts[token] ?? 0];
    return first === OPEN_BRACE || first === OPEN_BRACKET ? (this.links[token] ?? 0) : token + 1;
  }

  /** Reports whether an object is not empty and has no tokens for its content. */
  isOpaque(token: number): boolean {
    const start = this.starts[token] ?? 0;
    if (this.links[token] !== token + 1 || this.memory[start] !== OPEN_BRACE) return false;
    return (this.ends[token] ?? 0) > start + '{}'.length;
  }

  #reserve(length: number): void {
    // One byte more: a text that ends early is not followed by an older one.
    const isWasteful = this.memory.length > MAX_KEPT && length < FIRST_LENGTH;
    if (length >= this.memory.length || isWasteful) {
      const count = Math.max(length, FIRST_LENGTH / 2);
      this.memory = Buffer.allocUnsafeSlow(count * 2);
      // Two tokens are never neighbours.
      this.starts = new Int32Array(count);
      this.ends = new Int32Array(count);
      this.links = new Int32Array(count);
    }
    this.memory[length] = 0;
  }

  #read(length: number): boolean {
    const { memory, starts, ends, links } = this;
    const open = this.#open;
    let at = 0;
    let token = 0;
    let depth = 0;
    let inObject = false;
    let isName = false;
    for (;;) {
      const first = memory[at] ?? 0;
      starts[token] = at;
      if (first === QUOTE) {
        at = this.#string(token, at);
        if (at < 0) return false;
        ends[token++] = at;
        if (isName) {
          if (memory[at++] !== COLON) return false;
          isName = false;
          continue;
        }
      } else if (isName) return false;
      else if (first === OPEN_BRACE && this.#isKnown(token, at)) at = ends[token++] ?? 0;
      else if (first === OPEN_BRACE || first === OPEN_BRACKET) {
        if (depth === MAX_DEPTH) return false;
        open[depth++] = token++;
        inObject = first === OPEN_BRACE;
        if (memory[++at] !== first + TO_CLOSING) {
          isName = inObject;
          continue;
        }
      } else {
        at = this.#scalar(first, at);
        if (at < 0) return false;
        ends[token++] = at;
      }
      for (;;) {
        if (depth === 0) return at === length;
        const next = memory[at++];
        if (next === COMMA) {
          isName = inObject;
          break;
        }
        if (next !== (inObject ? OPEN_BRACE : OPEN_BRACKET) + TO_CLOSING) return false;
        const opened = open[--depth] ?? 0;
        ends[opened] = at;
        links[opened] = token;
        inObject = depth > 0 && memory[starts[open[depth - 1] ?? 0] ?? 0] === OPEN_BRACE;
      }
    }
  }

  /** Reports whether an object is the known text of a member with a name like `fieldsV1`. It is one token then. */
  #isKnown(token: number, start: number): boolean {
    if (this.#known === undefined || this.memory[start - BEFORE_OBJECT] !== ONE) return false;
    const end = this.#known.endAt(this.memory, start);
    if (end < 0) return false;
    this.ends[token] = end;
    this.links[token] = token + 1;
    return true;
  }

  /** Reads a string. Returns the place after it, or -1. */
  #string(token: number, start: number): number {
    const { memory } = this;
    let at = start + 1;
    let isAscii = true;
    for (;;) {
      while (PLAIN[memory[at] ?? 0] === 1) at++;
      const byte = memory[at] ?? 0;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) return this.#escaped(token, start, at);
      // Also the end of the text.
      if (byte < SPACE) return -1;
      isAscii = false;
      at++;
    }
    this.links[token] = at;
    return isAscii || isUtf8(memory.subarray(start, at)) ? at + 1 : -1;
  }

  /** The same for a string with its first escape at `first`: it is written without escapes to its own place. */
  #escaped(token: number, start: number, first: number): number {
    const { memory } = this;
    let at = first;
    let to = first;
    for (;;) {
      const byte = memory[at] ?? 0;
      if (byte === QUOTE) break;
      if (byte < SPACE) return -1;
      at++;
      if (byte !== BACKSLASH) {
        memory[to++] = byte;
        continue;
      }
      const kind = memory[at++] ?? 0;
      if (kind === LOWER_U) {
        const unit = hexadecimal(memory, at);
        if (unit < 0 || isSurrogate(unit)) return -1;
        this.hasForeignEscapes = true;
        to = writeUnit(memory, to, unit);
        at += 4;
      } else {
        const meaning = ESCAPES[kind];
        if (meaning === undefined || meaning === 0) return -1;
        if (kind === 0x2f) this.hasForeignEscapes = true;
        memory[to++] = meaning;
      }
    }
    this.links[token] = to;
    return isUtf8(memory.subarray(start, to)) ? at + 1 : -1;
  }

  /** Reads a number or a literal. Returns the place after it, or -1. */
  #scalar(first: number, start: number): number {
    if (first === MINUS || (first >= ZERO && first <= NINE)) return this.#number(start);
    const literal = first === NULL[0] ? NULL : first === TRUE[0] ? TRUE : FALSE;
    for (let i = 0; i < literal.length; i++) if (this.memory[start + i] !== literal[i]) return -1;
    return start + literal.length;
  }

  #number(start: number): number {
    const { memory } = this;
    const digits = memory[start] === MINUS ? start + 1 : start;
    let at = digits;
    for (let byte = memory[at] ?? 0; byte >= ZERO && byte <= NINE; byte = memory[at] ?? 0) at++;
    // The caller refuses a fraction and an exponent: it expects a comma or the end of something.
    const isPlain = at > digits && at - start <= MAX_NUMBER && (memory[digits] !== ZERO || at - start === 1);
    return isPlain ? at : -1;
  }
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** The number of four hexadecimal digits, or -1. */
function hexadecimal(memory: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start; at < start + 4; at++) {
    const byte = memory[at] ?? 0;
    const lower = byte | 0x20;
    if (byte >= ZERO && byte <= NINE) value = value * 16 + byte - ZERO;
    else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + lower - 0x61 + 10;
    else return -1;
  }
  return value;
}

/** Writes a character of the first plane, which is no surrogate, in UTF-8. Returns the place after it. */
function writeUnit(memory: Uint8Array, start: number, unit: number): number {
  let to = start;
  if (unit < 0x80) memory[to++] = unit;
  else {
    if (unit < 0x800) memory[to++] = 0xc0 | (unit >> 6);
    else {
      memory[to++] = 0xe0 | (unit >> 12);
      memory[to++] = 0x80 | ((unit >> 6) & 0x3f);
    }
    memory[to++] = 0x80 | (unit & 0x3f);
  }
  return to;
}
