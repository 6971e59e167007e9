import { canonicalBase64 } from '../../text/base64.js';
import { canonicalMicroTime, canonicalQuantity, canonicalTime } from '../canonical/canonical-text.js';
import { timeParts } from '../time-parts.js';
import type { FieldNames } from './field-names.js';
import { JsonTokens, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-tokens.js';
import type { KnownTexts } from './known-texts.js';
import { plainSeconds, SECONDS_LENGTH } from './plain-time.js';

/** Thrown where only the decoder knows the canonical form of a value. It has no message: the decoder finds that. */
export class NotPlain extends Error {
  override readonly name = 'NotPlain';
}

const NOT_PLAIN = new NotPlain();

/** Throws NotPlain. */
export function refuse(): never {
  throw NOT_PLAIN;
}

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const DOT = 0x2e;
const UPPER_Z = 0x5a;
const LOWER_F = 0x66;
const LOWER_I = 0x69;
const LOWER_K = 0x6b;
const LOWER_M = 0x6d;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const UPPER_G = 0x47;
const UPPER_K = 0x4b;
const UPPER_M = 0x4d;
const MICROSECOND_DIGITS = 6;
const FIRST_SLOTS = 1024;
/** Siblings in no order whose names are compared with one another. More are refused. */
const MAX_UNORDERED = 64;

/**
 * Reads the values of an object in its tokens. Values must be canonical, as this server writes them: for others it
 * throws NotPlain.
 *
 * Tokens of members and items are in slots, a stack that is used again: close what you open, in reverse order.
 */
export class TokenReader {
  readonly tokens: JsonTokens;
  /** Tokens; 0 for an absent member. Another array after each opening. */
  slots: Int32Array = new Int32Array(FIRST_SLOTS);
  /** The first free slot. */
  top = 0;

  readonly #known: KnownTexts | undefined;

  /** With known texts, values of verbatim texts are compared instead of read. */
  constructor(known?: KnownTexts) {
    this.#known = known;
    this.tokens = new JsonTokens(known);
  }

  /** Begins with a text. Throws NotPlain. */
  begin(text: Uint8Array): void {
    this.top = 0;
    if (!this.tokens.read(text)) refuse();
  }

  /** Opens a struct: the tokens of its members are in the slots from the returned one on, by index of the field. */
  members(names: FieldNames, token: number): number {
    const { tokens } = this;
    const { memory, starts, links } = tokens;
    const base = this.top;
    this.#reserve(names.count);
    const { slots, top } = this;
    for (let slot = base; slot < top; slot++) slots[slot] = 0;
    let index = -1;
    for (let name = token + 1, end = this.#endOf(token, OPEN_BRACE); name < end; name = tokens.after(name + 1)) {
      index = names.find(memory, (starts[name] ?? 0) + 1, links[name] ?? 0, index + 1);
      if (index < 0 || slots[base + index] !== 0) refuse();
      slots[base + index] = name + 1;
    }
    return base;
  }

  /** Opens an array: the tokens of its items are in the slots from the returned one to `top`. */
  items(token: number): number {
    const base = this.top;
    for (let item = token + 1, end = this.#endOf(token, OPEN_BRACKET); item < end; item = this.tokens.after(item)) {
      this.#push(item);
    }
    return base;
  }

  /** Opens an object: the tokens of its names, which ascend, are in the slots from the returned one to `top`. */
  ascendingNames(token: number): number {
    const base = this.names(token);
    for (let slot = base + 1; slot < this.top; slot++) {
      if (this.compareNames(this.slots[slot - 1] ?? 0, this.slots[slot] ?? 0) >= 0) refuse();
    }
    return base;
  }

  /** The same for names in any order, which may be equal. */
  names(token: number): number {
    const base = this.top;
    for (let name = token + 1, end = this.#endOf(token, OPEN_BRACE); name < end; name = this.tokens.after(name + 1)) {
      this.#push(name);
    }
    return base;
  }

  /** The same in the order of CBOR: shorter ones first. */
  namesByLength(token: number): number {
    const base = this.names(token);
    const { slots, top } = this;
    if (top - base > MAX_UNORDERED) refuse();
    for (let slot = base + 1; slot < top; slot++) {
      const name = slots[slot] ?? 0;
      let at = slot;
      for (; at > base; at--) {
        const order = this.#compareByLength(slots[at - 1] ?? 0, name);
        if (order === 0) refuse();
        if (order < 0) break;
        slots[at] = slots[at - 1] ?? 0;
      }
      slots[at] = name;
    }
    return base;
  }

  #compareByLength(one: number, other: number): number {
    return this.#textLength(one) - this.#textLength(other) || this.compareNames(one, other);
  }

  #textLength(token: number): number {
    return this.textEnd(token) - this.start(token);
  }

  /** Closes what was opened last, from its first slot on. */
  close(base: number): void {
    this.top = base;
  }

  /** Compares two strings by their bytes. */
  compareNames(one: number, other: number): number {
    const { memory, starts, links } = this.tokens;
    let a = (starts[one] ?? 0) + 1;
    let b = (starts[other] ?? 0) + 1;
    const aEnd = links[one] ?? 0;
    const bEnd = links[other] ?? 0;
    for (; a < aEnd && b < bEnd; a++, b++) {
      const difference = (memory[a] ?? 0) - (memory[b] ?? 0);
      if (difference !== 0) return difference;
    }
    return aEnd - a - (bEnd - b);
  }

  isNull(token: number): boolean {
    return this.first(token) === LOWER_N;
  }

  isText(token: number): boolean {
    return this.first(token) === QUOTE;
  }

  isEmptyText(token: number): boolean {
    return this.isText(token) && this.textEnd(token) === this.start(token) + 1;
  }

  isBoolean(token: number): boolean {
    const first = this.first(token);
    return first === LOWER_T || first === LOWER_F;
  }

  boolean(token: number): boolean {
    if (!this.isBoolean(token)) refuse();
    return this.first(token) === LOWER_T;
  }

  /** Reports whether a value is empty, zero or false. */
  isEmpty(token: number): boolean {
    const first = this.first(token);
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      return this.tokens.links[token] === token + 1 && !this.tokens.isOpaque(token);
    }
    return first === QUOTE ? this.isEmptyText(token) : first === ZERO || first === LOWER_F;
  }

  /** An integer, of at most 15 digits. */
  integer(token: number): number {
    const { memory, starts, ends } = this.tokens;
    const start = starts[token] ?? 0;
    const first = memory[start] ?? 0;
    const isNegative = first === MINUS;
    if (!isNegative && (first < ZERO || first > NINE)) refuse();
    let value = 0;
    for (let at = isNegative ? start + 1 : start, end = ends[token] ?? 0; at < end; at++) {
      value = value * 10 + (memory[at] ?? 0) - ZERO;
    }
    return isNegative ? -value : value;
  }

  /** An integer of 32 bits. */
  int32(token: number): number {
    const value = this.integer(token);
    return (value | 0) === value ? value : refuse();
  }

  /** Checks that a value is a string. */
  requireText(token: number): void {
    if (!this.isText(token)) refuse();
  }

  /** The content of a string. */
  text(token: number): string {
    this.requireText(token);
    const { memory, starts, links } = this.tokens;
    return memory.toString('utf8', (starts[token] ?? 0) + 1, links[token] ?? 0);
  }

  /** The bytes of a string in base64. */
  base64(token: number): Buffer {
    const text = this.text(token);
    return canonicalBase64(text) === text ? Buffer.from(text, 'base64') : refuse();
  }

  /** Seconds since 1970 of a Time. */
  seconds(token: number): number {
    const { memory, starts, links } = this.tokens;
    this.requireText(token);
    const start = (starts[token] ?? 0) + 1;
    const end = start + SECONDS_LENGTH;
    const seconds = links[token] === end + 1 && memory[end] === UPPER_Z ? plainSeconds(memory, start) : Number.NaN;
    return Number.isNaN(seconds) ? this.#otherTime(token, canonicalTime).seconds : seconds;
  }

  /** Nanoseconds of a MicroTime after its second, which is that of `seconds`. */
  microTime(token: number): { readonly seconds: number; readonly nanos: number } {
    const { memory, starts, links } = this.tokens;
    this.requireText(token);
    const start = (starts[token] ?? 0) + 1;
    const dot = start + SECONDS_LENGTH;
    const end = dot + 1 + MICROSECOND_DIGITS;
    const isLong = links[token] === end + 1 && memory[dot] === DOT && memory[end] === UPPER_Z;
    let seconds = isLong ? plainSeconds(memory, start) : Number.NaN;
    let micros = 0;
    for (let at = dot + 1; at < end; at++) {
      const digit = (memory[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) seconds = Number.NaN;
      micros = micros * 10 + digit;
    }
    return Number.isNaN(seconds) ? this.#otherTime(token, canonicalMicroTime) : { seconds, nanos: micros * 1_000 };
  }

  #otherTime(token: number, canonical: (text: string) => string | null) {
    const text = this.text(token);
    return isCanonical(text, canonical) ? timeParts(text) : refuse();
  }

  /** Checks that a value is the canonical text of a quantity. */
  requireQuantity(token: number): void {
    if (!this.#isPlainQuantity(token) && !isCanonical(this.text(token), canonicalQuantity)) refuse();
  }

  /** See `isPlainQuantity`. */
  #isPlainQuantity(token: number): boolean {
    const { memory, starts, links } = this.tokens;
    const start = (starts[token] ?? 0) + 1;
    const end = links[token] ?? 0;
    if (memory[start - 1] !== QUOTE || memory[start] === ZERO) return false;
    let at = start;
    while (isDigit(memory[at] ?? 0)) at++;
    if (at === start || at > start + 3) return false;
    if (at === end) return true;
    const suffix = memory[at++] ?? 0;
    const isGreat = suffix === UPPER_M || suffix === UPPER_G;
    if (at === end) return isGreat || suffix === LOWER_M || suffix === LOWER_K;
    return at + 1 === end && memory[at] === LOWER_I && (isGreat || suffix === UPPER_K);
  }

  /**
   * Checks that a parser and a writer of JSON would not change a value in a text: no name is repeated or an array
   * index, and no escape is written otherwise. Known texts were checked before.
   */
  requireVerbatim(token: number, text: Uint8Array): void {
    if (this.tokens.isOpaque(token)) return;
    if (this.tokens.hasForeignEscapes) {
      if (hasForeignEscape(text.subarray(this.start(token), this.end(token)))) refuse();
    }
    this.#requireNamesIn(token);
    this.#known?.add(text, this.start(token), this.end(token));
  }

  #requireNames(token: number): void {
    const { tokens } = this;
    const end = tokens.links[token] ?? 0;
    // An empty one is most frequent.
    if (end === token + 1) return;
    if (this.first(token) === OPEN_BRACKET) {
      for (let item = token + 1; item < end; item = tokens.after(item)) this.#requireNamesIn(item);
      return;
    }
    let previous = -1;
    let isOrdered = true;
    for (let name = token + 1; name < end; name = tokens.after(name + 1)) {
      if (isDigit(tokens.memory[this.start(name) + 1] ?? 0)) refuse();
      if (isOrdered && previous >= 0 && this.compareNames(previous, name) >= 0) {
        this.#requireDistinct(token);
        isOrdered = false;
      }
      this.#requireNamesIn(name + 1);
      previous = name;
    }
  }

  #requireNamesIn(value: number): void {
    const first = this.first(value);
    if (first === OPEN_BRACE || first === OPEN_BRACKET) this.#requireNames(value);
  }

  /** Checks the names of an object in no order. */
  #requireDistinct(token: number): void {
    const base = this.names(token);
    if (this.top - base > MAX_UNORDERED) refuse();
    for (let slot = base + 1; slot < this.top; slot++) {
      for (let before = base; before < slot; before++) {
        if (this.compareNames(this.slots[before] ?? 0, this.slots[slot] ?? 0) === 0) refuse();
      }
    }
    this.close(base);
  }

  /** The place of a token's first byte, in the text and in memory. */
  start(token: number): number {
    return this.tokens.starts[token] ?? 0;
  }

  /** The place after the last character of a string, in memory. */
  textEnd(token: number): number {
    return this.tokens.links[token] ?? 0;
  }

  /** The place after its last byte in the text. */
  end(token: number): number {
    return this.tokens.ends[token] ?? 0;
  }

  /** The first byte of a token. */
  first(token: number): number {
    return this.tokens.memory[this.tokens.starts[token] ?? 0] ?? 0;
  }

  /** The first token after the content of an object or array. */
  #endOf(token: number, opening: number): number {
    const isRead = this.first(token) === opening && !this.tokens.isOpaque(token);
    return isRead ? (this.tokens.links[token] ?? 0) : refuse();
  }

  #push(token: number): void {
    const slot = this.top;
    this.#reserve(1);
    this.slots[slot] = token;
  }

  #reserve(count: number): void {
    this.top += count;
    if (this.top <= this.slots.length) return;
    const larger = new Int32Array(this.top * 2);
    larger.set(this.slots);
    this.slots = larger;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isCanonical(text: string, canonical: (text: string) => string | null): boolean {
  try {
    return canonical(text) === text;
  } catch {
    return false;
  }
}

/** Reports whether a text has an escape that JSON without HTML escapes never has. */
function hasForeignEscape(text: Uint8Array): boolean {
  for (let at = text.indexOf(BACKSLASH); at >= 0; at = text.indexOf(BACKSLASH, at + 2)) {
    if (text[at + 1] === LOWER_U || text[at + 1] === SLASH) return true;
  }
  return false;
}
