import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@apiserver/apimachinery/codec/json';
import { newRequestEntityTooLarge } from '@apiserver/apimachinery/errors';
import type { MediaType } from '../negotiation/media-types.js';

/**
 * Maximum number of values in a body, or in the result of a patch: members of objects and elements of lists, at all
 * depths. Stored objects have at most 1.5 MiB, so that an object whose values take 16 bytes each always fits. Upstream
 * has no such bound.
 */
export const MAX_BODY_VALUES = 100_000;

/**
 * Maximum number of additional values in managed fields. The server creates one for each managed value, and clients
 * send them back. A path takes at least 9 bytes, so a stored object has no room for more.
 */
export const MAX_MANAGED_VALUES = 175_000;

/** Shorter texts cannot exceed the limit, because a value takes at least two bytes, one of them a comma. */
const MAX_UNCOUNTED_BYTES = 2 * MAX_BODY_VALUES;

/** Throws a 413 for a body with too many values. Only JSON is checked before it is parsed. */
export function refuseManyValues(bytes: Uint8Array, mediaType: MediaType | 'json'): void {
  if (mediaType.endsWith('json') && hasManyValues(bytes)) throw tooManyValues();
}

/** Reports whether JSON text has too many values. */
export function hasManyValues(bytes: Uint8Array): boolean {
  if (bytes.length <= MAX_UNCOUNTED_BYTES) return false;
  const { own, managed } = countJsonValues(bytes);
  return own > MAX_BODY_VALUES || managed > MAX_MANAGED_VALUES;
}

/** Throws a 413 for CBOR with too many values, before it is decoded. An approximation: it counts keys too. */
export function refuseManyCborItems(bytes: Uint8Array): void {
  if (bytes.length <= MAX_UNCOUNTED_BYTES) return;
  if (countCborItems(bytes, 2 * MAX_BODY_VALUES) < 0) throw tooManyValues();
}

/** Throws a 413 for a value that was decoded from `length` bytes and has too many values. */
export function refuseManyValuesIn(value: unknown, length: number): void {
  // Protobuf and CBOR may need only one byte for a value.
  if (length > MAX_BODY_VALUES) refuseManyMembers(value);
}

/** Throws a 413 for a value with too many values. */
export function refuseManyMembers(value: unknown): void {
  if (isTooMuch(countValues(value, MAX_BODY_VALUES))) throw tooManyValues();
}

/** Numbers of values outside and inside managed fields. */
interface ValueCount {
  readonly own: number;
  readonly managed: number;
}

function isTooMuch({ own, managed }: ValueCount): boolean {
  return own > MAX_BODY_VALUES || managed > MAX_MANAGED_VALUES;
}

/** Stops counting just beyond `mostOwn`, or the limit of managed fields. */
function countValues(value: unknown, mostOwn: number): ValueCount {
  const managed =
    MAX_MANAGED_VALUES - countMembers(memberOf(memberOf(value, 'metadata'), 'managedFields'), MAX_MANAGED_VALUES);
  if (managed > MAX_MANAGED_VALUES) return { own: 0, managed };
  return { own: mostOwn - countMembers(value, mostOwn + managed), managed };
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [key: string]: unknown })[name];
}

/** Values that a patch may add to an object above the limit, which another server has written. */
const MAX_ADDED_VALUES = 1_000;

/** A limit above any possible number of values. */
const ALL = 2 ** 40;

/** Throws a 413 if the result of a patch has too many values and the patch adds more than a few. */
export function refuseManyAdded(patched: unknown, before: unknown): void {
  const { own, managed } = countValues(patched, ALL);
  if (!isTooMuch({ own, managed })) return;
  const had = countValues(before, ALL);
  if (own > Math.max(MAX_BODY_VALUES, had.own + MAX_ADDED_VALUES) || managed > MAX_MANAGED_VALUES) {
    throw tooManyValues();
  }
}

/** The 413 for too many values. */
export function tooManyValues(): Error {
  return newRequestEntityTooLarge(
    `an object may have at most ${MAX_BODY_VALUES} fields, keys and list items, and ${MAX_MANAGED_VALUES} in its managed fields`,
  );
}

/** The depth above which a body is rejected before it is parsed. */
const MAX_DEPTH = 10_000;

/**
 * Values of a JSON text: one for each comma, and one for the first of each non-empty object and list. None for text
 * that is nested too deep.
 */
function countJsonValues(bytes: Uint8Array): ValueCount {
  const count = { own: 0, managed: 0 };
  const path = new ManagedPath(bytes);
  let depth = 0;
  let opened = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte <= 0x20) continue;
    const kind = depth > 1 && path.isManaged ? 'managed' : 'own';
    if (byte === COMMA) count[kind]++;
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      opened = false;
      depth--;
    } else {
      if (opened) count[kind]++;
      opened = byte === OPEN_BRACKET || byte === OPEN_BRACE;
      if (opened && ++depth > MAX_DEPTH) return { own: 0, managed: 0 };
      if (byte !== QUOTE) continue;
      const end = endOfString(bytes, i + 1);
      if (depth <= 2) path.passText(depth, i + 1, end);
      i = end;
    }
  }
  return count;
}

/** Detects the start of managed fields in JSON text. A key with unnecessary escapes is not detected. */
class ManagedPath {
  /** True if the last member of the metadata was managed fields. */
  isManaged = false;
  readonly #bytes: Uint8Array;
  #inMetadata = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  passText(depth: number, start: number, end: number): void {
    if (depth === 2 && !this.#inMetadata) return;
    if (!this.#isKey(end + 1)) return;
    if (depth === 2) this.isManaged = this.#isWord('managedFields', start, end);
    else {
      this.#inMetadata = this.#isWord('metadata', start, end);
      this.isManaged = false;
    }
  }

  #isKey(after: number): boolean {
    let at = after;
    while ((this.#bytes[at] ?? COLON) <= 0x20) at++;
    return this.#bytes[at] === COLON;
  }

  #isWord(word: string, start: number, end: number): boolean {
    if (end - start !== word.length) return false;
    for (let i = 0; i < word.length; i++) if (this.#bytes[start + i] !== word.charCodeAt(i)) return false;
    return true;
  }
}

function endOfString(bytes: Uint8Array, start: number): number {
  let i = start;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

/** Number of heads still allowed after those of all items of CBOR, including tags, chunks of texts and breaks. */
function countCborItems(bytes: Uint8Array, left: number): number {
  let rest = left;
  for (let at = 0; at < bytes.length && rest >= 0; rest--) {
    const head = bytes[at++] as number;
    const info = head & 0x1f;
    const isText = head >> 5 === 2 || head >> 5 === 3;
    const size = info < 24 || info > 27 ? 0 : 1 << (info - 24);
    if (isText) at += info < 24 ? info : uintAt(bytes, at, size);
    at += size;
  }
  return rest;
}

/** An unsigned number of `size` bytes, approximate beyond the size of any body. */
function uintAt(bytes: Uint8Array, start: number, size: number): number {
  let value = 0;
  for (let i = start; i < start + size; i++) value = value * 256 + (bytes[i] ?? 0);
  return value;
}

/** Number of values still allowed after those in `value`; negative if there are too many. */
function countMembers(value: unknown, left: number): number {
  if (typeof value !== 'object' || value === null) return left;
  let rest = left;
  if (Array.isArray(value)) {
    rest -= value.length;
    for (let i = 0; i < value.length && rest >= 0; i++) rest = countMembers(value[i], rest);
    return rest;
  }
  for (const key in value) {
    if (--rest < 0) return rest;
    rest = countMembers((value as { readonly [key: string]: unknown })[key], rest);
  }
  return rest;
}
