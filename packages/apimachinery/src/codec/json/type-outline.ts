import { isUtf8 } from 'node:buffer';
import { setOwn } from '../../json/set-own.js';
import type { Json, JsonObject } from '../../types/json.js';
import { OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.js';
import { JsonCursor, literalValue, parseJsonExact } from './json-cursor.js';
import type { CheckedJson, ParsedJson } from './parse-json.js';

/** Maximum size in bytes of a list that may be empty: a longer one has elements. */
const EMPTY_LIST = 64;

/**
 * The members of a JSON text that identify its kind: `apiVersion` and `kind`, in any case, and
 * `metadata.managedFields`. Other objects and lists are returned empty, scalars unchanged.
 */
export function typeOutline(checked: CheckedJson): Json {
  return outlineWithTypes(checked).outline;
}

/** An outline, and each member of its type. */
export interface OutlineWithTypes {
  readonly outline: Json;
  readonly types: readonly (readonly [string, Json])[];
}

/** The same, with each `apiVersion` and `kind` in any case, in order: also those whose names are repeated. */
export function outlineWithTypes({ bytes }: CheckedJson): OutlineWithTypes {
  const cursor = new JsonCursor(bytes);
  const types: [string, Json][] = [];
  if (cursor.peek() !== OPEN_BRACE) return { outline: shallow(cursor), types };
  const outline = outlineOf(cursor, (_, key) => {
    if (key === 'metadata' && cursor.peek() === OPEN_BRACE) return outlineOf(cursor, managedFields);
    if (!isTypeName(key)) return undefined;
    const value = shallow(cursor);
    types.push([key, value]);
    return value;
  });
  return { outline, types };
}

/**
 * The same of text that is parsed: all of its value, unless JSON.parse may have confused names in it, or got a text in
 * which several bytes became one U+FFFD.
 */
export function outlineOrValue(parsed: ParsedJson): Json {
  const { value, scan, bytes } = parsed;
  return scan.odd && (scan.escapedNames || !isUtf8(bytes)) ? typeOutline(parsed) : value;
}

/** The members of the object at the cursor for which `read` returns a value. */
function outlineOf(cursor: JsonCursor, read: (cursor: JsonCursor, key: string) => Json | undefined): JsonObject {
  const outline: JsonObject = {};
  cursor.at++;
  for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
    cursor.peek();
    const member = read(cursor, key);
    if (member === undefined) cursor.pass();
    else setOwn(outline, key, member);
  }
  return outline;
}

function isTypeName(key: string): boolean {
  return key.length <= 'apiversion'.length && /^(?:apiversion|kind)$/iu.test(key);
}

function managedFields(cursor: JsonCursor, key: string): Json | undefined {
  if (key !== 'managedFields') return undefined;
  const bytes = cursor.skip();
  return bytes.length <= EMPTY_LIST ? parseJsonExact(bytes) : [null];
}

function shallow(cursor: JsonCursor): Json {
  const c = cursor.peek();
  if (c === QUOTE) return cursor.readString();
  if (c !== OPEN_BRACE && c !== OPEN_BRACKET) return shallowLiteral(cursor.readLiteral());
  cursor.pass();
  return c === OPEN_BRACE ? {} : [];
}

/** The value of a literal. Numbers are alike: some have no value, which is no fault of a member of another type. */
function shallowLiteral(text: string): Json {
  return /^[-0-9]/.test(text) ? 0 : literalValue(text);
}
