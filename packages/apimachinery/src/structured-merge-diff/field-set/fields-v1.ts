import type { DeepReadonly, JsonObject } from '../../types/json.js';
import { EMPTY_SET, type FieldEntry, FieldSet, LEAF } from './field-set.js';
import { type PathElement, PathElementError, parsePathElement } from './path-element.js';

/** The key that marks an element with nested members as a member itself. */
const SELF = '.';

const NOTHING: JsonObject = Object.freeze({});

/**
 * Decodes a FieldsV1 object. Elements of unknown kinds are skipped. Throws PathElementError.
 *
 * Upstream: Set.FromJSON in sigs.k8s.io/structured-merge-diff/v6/fieldpath/serialize.go
 */
export function parseFieldsV1(fields: DeepReadonly<JsonObject>): FieldSet {
  return parseObject(fields).children ?? EMPTY_SET;
}

function parseObject(fields: unknown): FieldEntry {
  if (fields === null) return LEAF;
  if (typeof fields !== 'object' || Array.isArray(fields)) throw new PathElementError('expect { or n');
  const entries = new Map<PathElement, FieldEntry>();
  const object = fields as { readonly [key: string]: unknown };
  let member = false;
  for (const key in object) {
    if (key === SELF) {
      member = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element !== undefined) entries.set(element, parseObject(object[key]));
  }
  return entries.size === 0 ? LEAF : { member, children: new FieldSet(entries) };
}

/**
 * The FieldsV1 object of a set: frozen, keys in upstream's order. Cached: sets that share parts also share those of the
 * object.
 *
 * Upstream: Set.ToJSON in sigs.k8s.io/structured-merge-diff/v6/fieldpath/serialize.go
 */
export function fieldsV1Of(set: FieldSet): JsonObject {
  set.written ??= Object.freeze(writeSet(set, false));
  return set.written;
}

function writeSet(set: FieldSet, self: boolean): JsonObject {
  const out: JsonObject = {};
  if (self) out[SELF] = NOTHING;
  for (const element of set.sortedElements()) {
    const { member, children } = set.entries.get(element) as FieldEntry;
    if (children === undefined) out[element] = NOTHING;
    else out[element] = member ? Object.freeze(writeSet(children, true)) : fieldsV1Of(children);
  }
  return out;
}

/** Elements that are written between two pauses. */
const SLICE = 4_096;

/** Prepares the result of `fieldsV1Of` for a large set, in steps of a few milliseconds. */
export function* writeFieldsV1InSteps(set: FieldSet): Generator<void, void> {
  set.written ??= Object.freeze(yield* writeSteps(set, { left: SLICE }, false));
}

function* writeSteps(set: FieldSet, slice: { left: number }, self: boolean): Generator<void, JsonObject> {
  if (!self && set.written !== undefined) return set.written;
  const out: JsonObject = {};
  if (self) out[SELF] = NOTHING;
  const elements = set.sortedElements();
  if (elements.length > SLICE) yield;
  for (const element of elements) {
    if (slice.left-- === 0) {
      slice.left = SLICE;
      yield;
    }
    const { member, children } = set.entries.get(element) as FieldEntry;
    out[element] = children === undefined ? NOTHING : Object.freeze(yield* writeSteps(children, slice, member));
  }
  return out;
}
