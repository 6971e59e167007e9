import { atOnce } from '../clock/at-once.js';
import { parseJsonExact } from '../codec/json/json-cursor.js';
import { stringifyJson } from '../codec/json/stringify-json.js';
import { setOwn } from '../json/set-own.js';
import type { DeepReadonly, Json, JsonObject } from '../types/json.js';
import { applyJsonPatch, applyJsonPatchSteps, applyOperationsSteps, asStatus } from './apply-json-patch.js';
import type { JsonPatchOperation } from './decode-json-patch.js';
import { WrittenValues } from './written-values.js';

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
): Json {
  if (hasPlainTests(operations, written)) return applyJsonPatch(document, operations);
  try {
    return atOnce(applyByTexts(document, written));
  } catch (error) {
    throw asStatus(error);
  }
}

/** The same in steps. Takes ownership of the document. Throws a JsonPatchFault with upstream's text. */
export function* applyWrittenJsonPatchSteps(
  document: Json,
  operations: readonly JsonPatchOperation[],
  written: Uint8Array,
): Generator<void, Json> {
  if (hasPlainTests(operations, written)) return yield* applyJsonPatchSteps(document, operations);
  yield;
  return yield* applyByTexts(document, written);
}

/**
 * The text that upstream makes of an object's JSON text by a JSON patch, before `escapeHtml` and in steps. Both
 * texts are well-formed. Throws as applyJsonPatch.
 */
export function* writeJsonPatchedSteps(document: Uint8Array, patch: Uint8Array): Generator<void, string> {
  const written = new WrittenValues();
  const operations = yield* written.readOperations(patch);
  try {
    return yield* written.text(yield* applyOperationsSteps(yield* written.read(document), operations, written));
  } catch (error) {
    throw asStatus(error);
  }
}

function* applyByTexts(document: DeepReadonly<Json>, patch: Uint8Array): Generator<void, Json> {
  const written = new WrittenValues();
  const texts = toTexts(document);
  yield;
  const operations = yield* written.readOperations(patch);
  yield;
  const patched = yield* applyOperationsSteps(texts, operations, written);
  yield;
  return fromTexts(patched);
}

/** Reports whether no operation tests a value, or every scalar is written as in the object. */
function hasPlainTests(operations: readonly JsonPatchOperation[], written: Uint8Array): boolean {
  if (!operations.some(({ op }) => op === 'test')) return true;
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

function fromTexts(texts: Json): Json {
  if (typeof texts === 'string') return parseJsonExact(Buffer.from(texts, 'utf8'));
  if (Array.isArray(texts)) return texts.map(fromTexts);
  const value: JsonObject = {};
  if (typeof texts !== 'object' || texts === null) return texts;
  for (const [key, member] of Object.entries(texts)) setOwn(value, key, fromTexts(member));
  return value;
}
