import { Buffer } from 'node:buffer';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@apiserver/apimachinery/codec/json';

/** A range of bytes that is left out. */
interface Removal {
  readonly start: number;
  readonly end: number;
}

/**
 * The JSON of an object, a list or a Table without the managed fields of its objects. `json` is the compact output of
 * an encoder. Steps end after each object of a list.
 * Upstream: copyWithoutManagedFields of k8s.io/apiserver/pkg/audit/request.go
 */
export function* withoutManagedFields(json: Uint8Array): Generator<void, Uint8Array> {
  const cursor = new Cursor(json);
  const removals: Removal[] = [];
  for (const name of cursor.members()) {
    if (name === 'metadata') skipMetadata(cursor, removals);
    else if (name === 'items') yield* skipObjects(cursor, (item) => skipObject(item, removals));
    else if (name === 'rows') yield* skipObjects(cursor, (row) => skipRow(row, removals));
    else cursor.skipValue();
  }
  return without(json, removals);
}

function* skipObjects(cursor: Cursor, skip: (cursor: Cursor) => void): Generator<void, void> {
  for (const _item of cursor.items()) {
    skip(cursor);
    yield;
  }
}

function skipObject(cursor: Cursor, removals: Removal[]): void {
  for (const name of cursor.members()) {
    if (name === 'metadata') skipMetadata(cursor, removals);
    else cursor.skipValue();
  }
}

function skipRow(cursor: Cursor, removals: Removal[]): void {
  for (const name of cursor.members()) {
    if (name === 'object') skipObject(cursor, removals);
    else cursor.skipValue();
  }
}

function skipMetadata(cursor: Cursor, removals: Removal[]): void {
  let start = cursor.at + 1;
  for (const name of cursor.members()) {
    cursor.skipValue();
    if (name === 'managedFields') removals.push(memberRange(cursor, start));
    // The next member begins with its comma.
    start = cursor.at;
  }
}

/** `start` is after the brace, or at the comma before the member. */
function memberRange({ at, bytes }: Cursor, start: number): Removal {
  const isFirst = bytes[start] !== COMMA;
  return { start, end: isFirst && bytes[at] === COMMA ? at + 1 : at };
}

function without(json: Uint8Array, removals: readonly Removal[]): Uint8Array {
  if (removals.length === 0) return json;
  const kept: Uint8Array[] = [];
  let at = 0;
  for (const { start, end } of removals) {
    kept.push(json.subarray(at, start));
    at = end;
  }
  kept.push(json.subarray(at));
  return Buffer.concat(kept);
}

/** Reads compact, well-formed JSON. A value of another type than asked for is skipped. */
class Cursor {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The names of an object's members. The caller skips each value. */
  *members(): Generator<string, void> {
    if (!this.#enter(OPEN_BRACE)) return;
    while (this.bytes[this.at] === QUOTE) {
      const start = this.at + 1;
      this.#skipString();
      const name = Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, this.at - 1 - start).toString();
      this.at++;
      yield name;
      if (this.bytes[this.at] === COMMA) this.at++;
    }
    this.at++;
  }

  /** Stops at each item of a list. The caller skips it. */
  *items(): Generator<void, void> {
    if (!this.#enter(OPEN_BRACKET)) return;
    while (this.at < this.bytes.length && this.bytes[this.at] !== CLOSE_BRACKET) {
      yield;
      if (this.bytes[this.at] === COMMA) this.at++;
    }
    this.at++;
  }

  skipValue(): void {
    const { bytes } = this;
    let depth = 0;
    while (this.at < bytes.length) {
      const byte = bytes[this.at];
      if (byte === QUOTE) {
        this.#skipString();
        if (depth === 0) return;
        continue;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return;
        depth--;
        if (depth === 0) {
          this.at++;
          return;
        }
      } else if (byte === COMMA && depth === 0) return;
      this.at++;
    }
  }

  #enter(opening: number): boolean {
    if (this.bytes[this.at] === opening) {
      this.at++;
      return true;
    }
    this.skipValue();
    return false;
  }

  #skipString(): void {
    const { bytes } = this;
    let at = this.at + 1;
    while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    this.at = at + 1;
  }
}
