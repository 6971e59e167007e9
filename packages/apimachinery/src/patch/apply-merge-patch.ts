import type { StatusError } from '../errors/status-error.js';
import { newBadRequest } from '../errors/status-factories.js';
import { cloneJson } from '../json/clone-json.js';
import { jsonTypeName } from '../json/go-value.js';
import { isMembers } from '../json/is-members.js';
import { setOwn } from '../json/set-own.js';
import type { DeepReadonly, Json, JsonObject } from '../types/json.js';
import type { FieldValidation } from '../types/options.js';
import { WrittenValues } from './written-values.js';

/**
 * Applies a JSON merge patch (RFC 7386) to an object and returns the new object; the old one and the patch are not
 * changed. Throws a StatusError with upstream's text (400) when the patch is null or not an object; under Ignore a list
 * replaces the object.
 *
 * As upstream, one detail differs from the RFC: objects inside a list lose their nulls where the list is new or
 * replaces a non-object.
 *
 * Upstream: gopkg.in/evanphx/json-patch.v4, and applyJSPatch in k8s.io/apiserver/pkg/endpoints/handlers/patch.go
 */
export function applyMergePatch(
  document: DeepReadonly<JsonObject>,
  patch: DeepReadonly<Json>,
  fieldValidation: FieldValidation = '',
): Json {
  return merge(document, patch, fieldValidation);
}

/**
 * The text that upstream makes of an object's JSON text by a merge patch, before `escapeHtml` and in steps. Both
 * texts are well-formed. Throws as applyMergePatch.
 */
export function* writeMergePatchedSteps(
  document: Uint8Array,
  patch: Uint8Array,
  fieldValidation: FieldValidation,
): Generator<void, string> {
  const written = new WrittenValues();
  const before = yield* written.read(document);
  yield;
  const change = yield* written.read(patch);
  yield;
  // The text of a scalar is that of a number, which is refused: others are refused before they are read.
  const read = typeof change === 'string' ? 0 : change;
  const merged = merge(before as JsonObject, read, fieldValidation, written);
  yield;
  return yield* written.text(merged);
}

function merge(
  document: DeepReadonly<JsonObject>,
  patch: DeepReadonly<Json>,
  fieldValidation: FieldValidation,
  written?: WrittenValues,
): Json {
  if (isMembers(patch)) return mergeObjects(document, patch, written);
  if (patch === null || (fieldValidation === 'Ignore' && !Array.isArray(patch))) throw badPatch();
  if (fieldValidation !== 'Ignore') {
    const type = jsonTypeName(patch);
    throw newBadRequest(
      `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  }
  return withoutNulls(patch, written);
}

/** Upstream's message for any invalid merge patch. */
function badPatch(): StatusError {
  return newBadRequest('Invalid JSON Patch');
}

type ReadonlyObject = DeepReadonly<JsonObject>;

function mergeObjects(document: ReadonlyObject, patch: ReadonlyObject, written?: WrittenValues): JsonObject {
  const merged: JsonObject = {};
  written?.open(merged);
  for (const key in document) {
    const value = document[key] ?? null;
    if (!Object.hasOwn(patch, key)) setOwn(merged, key, unchanged(value, written));
    else if (patch[key] !== null) setOwn(merged, key, mergeValues(value, patch[key] ?? null, written));
  }
  for (const key in patch) {
    const value = patch[key] ?? null;
    if (value !== null && !Object.hasOwn(document, key)) setOwn(merged, key, withoutNulls(value, written));
  }
  return merged;
}

function mergeValues(current: DeepReadonly<Json>, patch: DeepReadonly<Json>, written?: WrittenValues): Json {
  if (!isMembers(current)) return withoutNulls(patch, written);
  return isMembers(patch) ? mergeObjects(current, patch, written) : unchanged(patch, written);
}

/** A copy. Texts are shared: they are read for one merge. */
function unchanged(value: DeepReadonly<Json>, written?: WrittenValues): Json {
  return (written === undefined ? cloneJson(value) : value) as Json;
}

/** A copy without the null members of its objects, inside lists too; null elements of lists stay. */
function withoutNulls(value: DeepReadonly<Json>, written?: WrittenValues): Json {
  if (Array.isArray(value)) return value.map((element) => withoutNulls(element, written));
  if (!isMembers(value)) return value as Json;
  const kept: JsonObject = {};
  written?.open(kept);
  for (const [key, member] of Object.entries(value)) {
    if (member !== null) setOwn(kept, key, withoutNulls(member, written));
  }
  return kept;
}
