import type { DeepReadonly, JsonObject } from '../../types/json.js';
import { EMPTY_SET, type FieldEntry, FieldSet, LEAF } from './field-set.js';
import { type PathElement, PathElementError, parsePathElement, sortPathElementsInSteps } from './path-element.js';

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
    const below = object[key];
    const element = parsePathElement(key);
    if (element !== undefined) entries.set(element, parseObject(below));
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

/**
 * The result of `fieldsV1Of` for a large set, in steps of a few milliseconds. The steps only refer to parts that are not
 * yet written: a caller that drops the set does not hold it and its result at the same time.
 */
export function writeFieldsV1InSteps(set: FieldSet): Generator<void, JsonObject> {
  return setSteps(set, { left: SLICE }, false);
}

function setSteps(set: FieldSet, slice: { left: number }, self: boolean): Generator<void, JsonObject> {
  if (!self && set.written !== undefined) return atOnceSteps(set.written);
  if (set.entries.size > SLICE) return sortedSteps({ set }, slice, self);
  const elements = set.sortedElements();
  return memberSteps(elements, nestedEntries(set, elements), slice, self);
}

/** Lets go of the set when its elements are sorted. */
function* sortedSteps(
  held: { set: FieldSet | undefined },
  slice: { left: number },
  self: boolean,
): Generator<void, JsonObject> {
  const elements = yield* sortPathElementsInSteps([...(held.set?.entries.keys() ?? [])]);
  return yield* memberSteps(elements, takeEntries(held, elements), slice, self);
}

function takeEntries(held: { set: FieldSet | undefined }, elements: readonly PathElement[]) {
  const { set } = held;
  held.set = undefined;
  return set && nestedEntries(set, elements);
}

/** The entries of the elements; undefined if none has children. */
function nestedEntries(set: FieldSet, elements: readonly PathElement[]): FieldEntry[] | undefined {
  const entries = elements.map((element) => set.entries.get(element) as FieldEntry);
  return entries.every(({ children }) => children === undefined) ? undefined : entries;
}

/** Steps that are over: their result is known. */
// biome-ignore lint/correctness/useYield: nothing is left to do.
export function* atOnceSteps<T>(result: T): Generator<void, T> {
  return result;
}

/** Consumes the entries, which are absent if none has children. */
function* memberSteps(
  elements: readonly PathElement[],
  entries: (FieldEntry | undefined)[] | undefined,
  slice: { left: number },
  self: boolean,
): Generator<void, JsonObject> {
  const out: JsonObject = {};
  if (self) out[SELF] = NOTHING;
  if (elements.length > SLICE) yield;
  for (const [i, element] of elements.entries()) {
    if (slice.left-- === 0) {
      slice.left = SLICE;
      yield;
    }
    const below = entries && takeSteps(entries, i, slice);
    out[element] = below === undefined ? NOTHING : yield* below;
  }
  return Object.freeze(out);
}

/** The steps of an entry with children. A separate function: the variables of paused steps would keep the entry. */
function takeSteps(
  entries: (FieldEntry | undefined)[],
  i: number,
  slice: { left: number },
): Generator<void, JsonObject> | undefined {
  const entry = entries[i];
  entries[i] = undefined;
  return entry?.children && setSteps(entry.children, slice, entry.member);
}
