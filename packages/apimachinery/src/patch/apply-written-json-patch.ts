import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET } from '../codec/json/json-bytes.js';
import { JsonCursor, parseJsonExact } from '../codec/json/json-cursor.js';
import { stringifyJson } from '../codec/json/stringify-json.js';
import { setOwn } from '../json/set-own.js';
import type { DeepReadonly, Json, JsonObject } from '../types/json.js';
import { applyJsonPatch, applyJsonPatchSteps } from './apply-json-patch.js';
import type { JsonPatchOperation } from './decode-json-patch.js';
import type { MemberOrder } from './member-order.js';

/**
 * Applies a JSON patch, given with its text, to an object in the form of upstream's JSON. Upstream's `test` compares
 * the text of numbers and strings. `1.0` is not `1`, and `"<"` differs from the object's `"\u003c"`. Throws as
 * applyJsonPatch.
 *
 * Upstream: lazyNode.equal in gopkg.in/evanphx/json-patch.v4
 */
export function applyWrittenJsonPatch(
  document: DeepReadonly<Json>,
  operations: readonly JsonPatchOperation[],
  written: Uint8Array,
  order?: MemberOrder,
): Json {
  if (!operations.some(({ op }) => op === 'test') || isPlain(written)) {
    if (order !== undefined && hasNumericKeys(written)) {
      const read = readOperations(new JsonCursor(written), order);
      for (const [i, { value }] of read.entries()) order.copy(value, operations[i]?.['value']);
    }
    return applyJsonPatch(document, operations, order);
  }
  const texts = applyJsonPatch(toTexts(document), readOperations(new JsonCursor(written), order), order);
  return fromTexts(texts, (from, to) => order?.copyOne(from, to));
}

/** A larger patch is shown with such keys sorted: reading it again takes long. */
const MOST_READ_AGAIN = 256 * 1_024;

function hasNumericKeys(written: Uint8Array): boolean {
  return written.length <= MOST_READ_AGAIN && /"\d+"\s*:/.test(Buffer.from(written).toString('latin1'));
}

/** The same in steps. Takes ownership of the document. Throws a JsonPatchFault with upstream's text. */
export function* applyWrittenJsonPatchSteps(
  document: Json,
  operations: readonly JsonPatchOperation[],
  written: Uint8Array,
): Generator<void, Json> {
  if (!operations.some(({ op }) => op === 'test') || isPlain(written)) {
    return yield* applyJsonPatchSteps(document, operations);
  }
  yield;
  const texts = toTexts(document);
  yield;
  const textOperations = readOperations(new JsonCursor(written));
  yield;
  const patched = yield* applyJsonPatchSteps(texts, textOperations);
  yield;
  return fromTexts(patched);
}

/** Reports whether every scalar is written as in the object. */
function isPlain(written: Uint8Array): boolean {
  const text = Buffer.from(written.buffer, written.byteOffset, written.byteLength).toString('latin1');
  return !/[\\<>&\xe2]|-0|[0-9][.eE]/.test(text);
}

/** The value with each scalar replaced by its text; null stays. */
function toTexts(value: DeepReadonly<Json>): Json {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(toTexts);
  if (typeof value !== 'object') return stringifyJson(value);
  const texts: JsonObject = {};
  for (const [key, member] of Object.entries(value)) setOwn(texts, key, toTexts(member));
  return texts;
}

/** The value of texts. `onObject` gets each object of texts and its value. */
function fromTexts(texts: Json, onObject: (texts: object, value: object) => void = () => {}): Json {
  if (typeof texts === 'string') return parseJsonExact(Buffer.from(texts, 'utf8'));
  if (Array.isArray(texts)) return texts.map((element) => fromTexts(element, onObject));
  const value: JsonObject = {};
  if (typeof texts !== 'object' || texts === null) return texts;
  for (const [key, member] of Object.entries(texts)) setOwn(value, key, fromTexts(member, onObject));
  onObject(texts, value);
  return value;
}

/** The operations at the cursor, with values as texts. */
function readOperations(cursor: JsonCursor, order?: MemberOrder): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  eachElement(cursor, () => {
    const operation: JsonObject = {};
    if (cursor.peek() !== OPEN_BRACE) cursor.skip();
    else {
      eachMember(cursor, (name) => {
        setOwn(operation, name, name === 'value' ? readTexts(cursor, order) : parseJsonExact(cursor.skip()));
      });
    }
    operations.push(operation);
  });
  return operations;
}

function readTexts(cursor: JsonCursor, order?: MemberOrder): Json {
  const first = cursor.peek();
  if (first === OPEN_BRACKET) {
    const list: Json[] = [];
    eachElement(cursor, () => list.push(readTexts(cursor, order)));
    return list;
  }
  if (first === OPEN_BRACE) {
    const object: JsonObject = {};
    const keys: string[] = [];
    eachMember(cursor, (name) => {
      keys.push(name);
      setOwn(object, name, readTexts(cursor, order));
    });
    order?.write(object, keys);
    return object;
  }
  const text = Buffer.from(cursor.skip()).toString('utf8');
  return text === 'null' ? null : text;
}

function eachElement(cursor: JsonCursor, read: () => void): void {
  cursor.take(OPEN_BRACKET);
  while (!cursor.take(CLOSE_BRACKET)) {
    cursor.take(COMMA);
    read();
  }
}

function eachMember(cursor: JsonCursor, read: (name: string) => void): void {
  cursor.take(OPEN_BRACE);
  while (!cursor.take(CLOSE_BRACE)) {
    cursor.take(COMMA);
    cursor.peek();
    const name = cursor.readString();
    cursor.take(COLON);
    read(name);
  }
}
