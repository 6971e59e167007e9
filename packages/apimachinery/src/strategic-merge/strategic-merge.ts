import { newBadRequest } from '../errors/status-factories.js';
import { cloneJson, cloneJsonSteps } from '../json/clone-json.js';
import { isMembers } from '../json/is-members.js';
import { LaterMembers } from '../json/later-members.js';
import { getOwn, setOwn } from '../json/set-own.js';
import type { Schema, StructSchema } from '../schema/schema.js';
import type { Json, JsonObject } from '../types/json.js';
import { applyElementOrder } from './element-order.js';
import { badPatchFormat, badPatchType } from './merge-errors.js';
import { mergeList } from './merge-list.js';
import { patchMeta } from './merge-schema.js';
import { dropNulls, withoutDirectives } from './without-directives.js';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_PREFIX = '$deleteFromPrimitiveList';
const ORDER_PREFIX = '$setElementOrder';

/**
 * Applies a strategic merge patch to an object of the schema. Neither argument is changed; `opened` gets a copy of the
 * patch, from which the merge removes what it has applied and upstream removes too. All directives are supported:
 * `$patch` (replace, delete, merge), `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`.
 *
 * Throws StatusError: 400 and 422 for a patch that breaks the format, 500 where upstream has a bare error.
 * Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go
 */
export function strategicMerge(schema: StructSchema, original: Json, patch: Json, opened?: OpenedPatch): Json {
  if (!isMembers(original) || !isMembers(patch)) throw newBadRequest('invalid JSON document');
  const merging = cloneJson(patch);
  opened?.(merging);
  return new ObjectMerger().merge(cloneJson(original), merging, schema);
}

/** Gets the copy of a patch before it is merged. */
export type OpenedPatch = (patch: Json) => void;

/** The same in steps, for large objects. */
export function* strategicMergeInSteps(
  schema: StructSchema,
  original: Json,
  patch: Json,
  opened?: OpenedPatch,
): Generator<void, Json> {
  if (!isMembers(original) || !isMembers(patch)) throw newBadRequest('invalid JSON document');
  const merged = yield* cloneJsonSteps(original);
  yield;
  const merging = yield* cloneJsonSteps(patch);
  opened?.(merging);
  yield;
  const later = new LaterMembers();
  const result = new ObjectMerger(later).merge(merged, merging, schema);
  yield* later.run();
  return result;
}

/** Members that are merged between two pauses. */
const SLICE = 4_096;

class ObjectMerger {
  /** Takes the members of large patches; undefined if everything is merged at once. */
  readonly #later: LaterMembers | undefined;

  constructor(later?: LaterMembers) {
    this.#later = later;
  }

  /** Merges a patch into an object; both may be changed, and the result may share parts of both. */
  readonly merge = (original: JsonObject, patch: JsonObject, schema: Schema): JsonObject => {
    const directive = getOwn(patch, DIRECTIVE);
    if (directive !== undefined) return wholeObject(directive, patch);
    retainKeys(original, patch);
    for (const key of Object.keys(patch)) {
      if (key.startsWith(ORDER_PREFIX)) applyElementOrder(original, patch, { key, schema, mergeObject: this.merge });
    }
    const keys = Object.keys(patch);
    if (this.#later !== undefined && keys.length > SLICE) this.#later.add(this.#memberSteps(original, patch, schema));
    else for (const key of keys) this.#mergeMember(original, { key, value: patch[key] ?? null, schema });
    return original;
  };

  *#memberSteps(original: JsonObject, patch: JsonObject, schema: Schema): Generator<void, void> {
    for (const [i, key] of Object.keys(patch).entries()) {
      if (i % SLICE === 0) yield;
      this.#mergeMember(original, { key, value: patch[key] ?? null, schema });
    }
  }

  #mergeMember(original: JsonObject, { key: patchKey, value, schema }: Member): void {
    const isDeletion = patchKey.startsWith(DELETE_FROM_PREFIX);
    const key = isDeletion ? listKey(patchKey) : patchKey;
    if (value === null) {
      delete original[key];
      return;
    }
    const current = getOwn(original, key);
    if (current === undefined || jsonType(current) !== jsonType(value)) {
      if (!isDeletion) setWithoutDirectives(original, key, value);
      return;
    }
    if (isMembers(value) && isMembers(current)) {
      const meta = patchMeta(schema, key, false);
      setOwn(original, key, meta.replace ? value : this.merge(current, value, meta.schema));
    } else if (Array.isArray(value) && Array.isArray(current)) {
      const meta = patchMeta(schema, key, true);
      // Deletions apply to any list, whatever its strategy.
      const merges = meta.merge || isDeletion;
      const list = () => mergeList(current, value, { ...meta, isDeletion, mergeObject: this.merge });
      setOwn(original, key, merges ? list() : value);
    } else setOwn(original, key, value);
  }
}

/** `$patch: replace` returns the patch, `$patch: delete` an empty object. */
function wholeObject(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw badPatchType(directive, patch);
  delete patch[DIRECTIVE];
  return patch;
}

/** `$retainKeys` lists all keys that stay; the patch may not set others. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  const retained = getOwn(patch, RETAIN_KEYS);
  if (retained === undefined) return;
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(retained)) throw badPatchFormat('retainKeys');
  const keys = new Set(retained);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(DELETE_FROM_PREFIX) || key.startsWith(ORDER_PREFIX)) continue;
    if (!keys.has(key)) throw badPatchFormat('retainKeys');
  }
  for (const key of Object.keys(original)) if (!keys.has(key)) delete original[key];
}

interface Member {
  readonly key: string;
  readonly value: Json;
  readonly schema: Schema;
}

/** The list that a `$deleteFromPrimitiveList/…` key names. */
function listKey(key: string): string {
  if (!key.startsWith(`${DELETE_FROM_PREFIX}/`)) throw badPatchFormat('primitive list');
  return key.slice(DELETE_FROM_PREFIX.length + 1);
}

/** The type that decides how values merge; null never merges. */
function jsonType(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** Sets a value that merges with nothing: nulls inside it are dropped, and so are objects with a directive. */
function setWithoutDirectives(original: JsonObject, key: string, value: Json): void {
  dropNulls(value);
  const kept = withoutDirectives(value);
  if (kept === undefined) delete original[key];
  else setOwn(original, key, kept);
}
