import { setOwn } from '../../json/set-own.js';
import type { Members } from '../canonical/canonical-context.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { anyScalar } from './exact-scalars.js';
import type { ExactState } from './exact-state.js';
import { OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.js';
import { type JsonCursor, literalValue } from './json-cursor.js';
import { RepeatedFields } from './repeated-fields.js';

/** An untyped JSON object or array: integers of 64 bits stay integers, all other numbers are doubles. */
export function* decodeAny(state: ExactState): DecodingSteps<unknown> {
  const { cursor } = state;
  if (cursor.bytes[cursor.at++] === OPEN_BRACKET) {
    const items: unknown[] = [];
    for (let index = 0; cursor.nextElement(); index++) {
      if (state.isPause()) yield;
      state.enter(index);
      items.push(opens(cursor.peek()) ? yield* decodeAny(state) : anyScalar(state));
      state.leave();
    }
    return items;
  }
  const out: Members = {};
  const seen = new Set<string>();
  for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
    if (state.isPause()) yield;
    if (seen.has(key)) state.saveStrictError('duplicate field', key);
    else seen.add(key);
    state.enter(key);
    setOwn(out, key, opens(cursor.peek()) ? yield* decodeAny(state) : anyScalar(state));
    state.leave();
  }
  return out;
}

/**
 * JSON that is kept unchanged: the last of duplicate keys wins, without an error. `empty` is given for the fields of a
 * manager, whose duplicates are merged: it is the value of all empty objects in them.
 */
export function* decodeRaw(state: ExactState, empty?: Members): DecodingSteps<unknown> {
  const { cursor } = state;
  if (cursor.bytes[cursor.at++] === OPEN_BRACKET) {
    const items: unknown[] = [];
    while (cursor.nextElement()) {
      if (state.isPause()) yield;
      items.push(opens(cursor.peek()) ? yield* decodeRaw(state, empty) : rawScalar(cursor));
    }
    return items;
  }
  let key = cursor.nextKey();
  if (key === undefined && empty !== undefined) return empty;
  const out: Members = {};
  let repeated: Map<string, RepeatedFields> | undefined;
  for (; key !== undefined; key = cursor.nextKey()) {
    if (state.isPause()) yield;
    const value = opens(cursor.peek()) ? yield* decodeRaw(state, empty) : rawScalar(cursor);
    if (empty !== undefined && Object.hasOwn(out, key)) {
      repeated ??= new Map();
      const fields = repeated.get(key) ?? new RepeatedFields(out[key]);
      fields.add(value);
      repeated.set(key, fields);
    }
    setOwn(out, key, value);
  }
  for (const [name, fields] of repeated ?? []) setOwn(out, name, fields.merged());
  return out;
}

/** True for the first byte of an object or an array. */
function opens(c: number): boolean {
  return c === OPEN_BRACE || c === OPEN_BRACKET;
}

/** A text, a number or a literal, unchanged. */
export function rawScalar(cursor: JsonCursor): unknown {
  return cursor.peek() === QUOTE ? cursor.readString() : literalValue(cursor.readLiteral());
}
