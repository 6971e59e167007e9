import { plainFailure } from '../errors/plain-failure.js';
import { formatGoValue, goTypeName } from '../json/go-value.js';
import { isMembers } from '../json/is-members.js';
import { getOwn } from '../json/set-own.js';
import type { Schema } from '../schema/schema.js';
import type { Json, JsonObject } from '../types/json.js';
import { ElementIndex } from './element-index.js';
import { badArgumentType, badPatchType, noListOfLists, noMergeKey } from './merge-errors.js';

/** Options for merging a list. */
export interface ListMerge {
  /** Schema of the elements. */
  readonly schema: Schema;
  readonly mergeKey: string;
  /** True if the patch lists primitives to remove. */
  readonly isDeletion: boolean;
  /** Merges an element of the patch into the element of the same key. */
  readonly mergeObject: MergeObject;
}

/** Merges a patch into an object of the schema; both may be changed. */
export type MergeObject = (original: JsonObject, patch: JsonObject, schema: Schema) => JsonObject;

/** Merges a patch's list into a list with merge strategy; both may be changed. */
export function mergeList(original: Json[], patch: Json[], options: ListMerge): Json[] {
  if (original.length === 0 && patch.length === 0) return original;
  const { mergeKey } = options;
  if (!assertElementTypes([original, patch])) {
    if (options.isDeletion) {
      const deleted = new Set(patch);
      return original.filter((item) => !deleted.has(item));
    }
    return mergePrimitives(original, patch);
  }
  if (mergeKey === '') throw plainFailure(500, 'cannot merge lists without merge key for struct');
  const rest = applySpecialElements(original, patch, mergeKey);
  const merged = mergeElements(rest.original, rest.patch, options);
  return arrange(merged, rest.patch, { serverOrder: rest.original, mergeKey });
}

/**
 * The elements of the patch in its order, and those of the server alone in theirs. Upstream's way to remove duplicates
 * reorders them first, which this order undoes.
 */
function mergePrimitives(original: readonly Json[], patch: readonly Json[]): Json[] {
  const patched = new Set(patch);
  const serverOnly = [...new Set(original)].filter((item) => !patched.has(item));
  return interleave([...patched], serverOnly, { serverOrder: original, mergeKey: '' });
}

/** Reports whether the elements of the lists are objects. They must all be of one type, and not lists. */
export function assertElementTypes(lists: readonly (readonly Json[])[]): boolean {
  const [first] = lists.find((list) => list.length > 0) ?? [];
  if (first === undefined) throw plainFailure(500, 'no elements in any of the given slices');
  if (Array.isArray(first)) throw noListOfLists();
  const type = goTypeName(first);
  for (const list of lists) {
    for (const item of list) {
      if (goTypeName(item) !== type) {
        throw plainFailure(500, `list element types are not identical: ${formatGoValue(lists)}`);
      }
    }
  }
  return isMembers(first);
}

interface Order {
  readonly serverOrder: readonly Json[];
  readonly mergeKey: string;
}

function arrange(merged: readonly Json[], patch: readonly Json[], order: Order): Json[] {
  const { present, absent } = partitionByPresence(merged, patch, order.mergeKey);
  return orderElements(present, absent, { ...order, patchOrder: patch, areObjects: true });
}

/** Executes the elements that are directives and returns the remaining elements of both sides. */
function applySpecialElements(
  original: Json[],
  patch: readonly Json[],
  mergeKey: string,
): { readonly original: Json[]; readonly patch: Json[] } {
  const plain: Json[] = [];
  const deleted = new Set<Json>();
  let replace = false;
  for (const item of patch as readonly JsonObject[]) {
    const directive = getOwn(item, '$patch');
    if (directive === undefined) plain.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'delete') deleted.add(requiredKey(item, mergeKey));
    else if (directive === 'merge') throw plainFailure(500, 'merging lists cannot yet be specified in the patch');
    else throw badPatchType(directive, item);
  }
  if (replace) return { original: plain, patch: [] };
  return { original: deleted.size === 0 ? original : withoutMatching(original, deleted, mergeKey), patch: plain };
}

function withoutMatching(items: Json[], deleted: ReadonlySet<Json | undefined>, mergeKey: string): Json[] {
  return items.filter((item, i) => !deleted.has(matchValue(item, i, mergeKey)));
}

function matchValue(item: Json, index: number, mergeKey: string): Json | undefined {
  if (!isMembers(item)) throw plainFailure(500, `value for key ${index} is not a map`);
  return getOwn(item, mergeKey);
}

function mergeElements(original: Json[], patch: readonly Json[], options: ListMerge): Json[] {
  const { mergeKey } = options;
  const merged = [...original];
  const places = Map.groupBy(merged.keys(), (i) => matchValue(merged[i] as Json, i, mergeKey));
  for (const item of patch as readonly JsonObject[]) {
    const value = requiredKey(item, mergeKey);
    const at = firstPlace(places, merged, { value, mergeKey });
    if (at !== undefined) {
      merged[at] = options.mergeObject(merged[at] as JsonObject, item, options.schema);
      continue;
    }
    places.set(value, [merged.length]);
    merged.push(item);
  }
  return merged;
}

/** The first element that still has that value as its key: merging null into a key removes it. */
function firstPlace(
  places: ReadonlyMap<Json | undefined, number[]>,
  merged: readonly Json[],
  { value, mergeKey }: { readonly value: Json; readonly mergeKey: string },
): number | undefined {
  const own = places.get(value) ?? [];
  while (own[0] !== undefined && getOwn(merged[own[0]] as JsonObject, mergeKey) !== value) own.shift();
  return own[0];
}

/** Splits a list by whether the other list has the element: by value, or by merge key. */
export function partitionByPresence(
  items: readonly Json[],
  others: readonly Json[],
  mergeKey: string,
): { readonly present: Json[]; readonly absent: Json[] } {
  const present: Json[] = [];
  const absent: Json[] = [];
  const places = new ElementIndex(others, mergeKey);
  // A linear search for an item stops at this element unless it finds the item earlier.
  const odd = mergeKey === '' ? -1 : others.findIndex((other) => !isMembers(other));
  for (const item of items) {
    if (mergeKey !== '') requiredKey(item, mergeKey);
    const at = places.placeOf(item);
    if (odd >= 0 && (at === -1 || at > odd)) matchValue(others[odd] as Json, odd, mergeKey);
    (at === -1 ? absent : present).push(item);
  }
  return { present, absent };
}

function requiredKey(item: Json, mergeKey: string): Json {
  if (!isMembers(item)) throw badArgumentType('map', item);
  const value = getOwn(item, mergeKey);
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}

/**
 * Sorts the patch's elements in the patch's order and the server's in their own, and merges the two: a server element
 * precedes a patch element only if it did so in the live list.
 */
export function orderElements(
  patch: readonly Json[],
  serverOnly: readonly Json[],
  options: Order & { readonly patchOrder: readonly Json[]; readonly areObjects: boolean },
): Json[] {
  const { patchOrder, serverOrder, mergeKey } = options;
  if (options.areObjects) {
    for (const item of [...patch, ...patchOrder, ...serverOnly, ...serverOrder]) requiredKey(item, mergeKey);
  }
  return interleave(sortBy(patch, patchOrder, mergeKey), sortBy(serverOnly, serverOrder, mergeKey), options);
}

function interleave(right: readonly Json[], left: readonly Json[], { serverOrder, mergeKey }: Order): Json[] {
  if (left.length === 0) return [...right];
  const out: Json[] = [];
  const server = new ElementIndex(serverOrder, mergeKey);
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const li = server.placeOf(left[i] as Json);
    const ri = server.placeOf(right[j] as Json);
    out.push((li >= 0 && ri >= 0 && li < ri ? left[i++] : right[j++]) as Json);
  }
  return [...out, ...left.slice(i), ...right.slice(j)];
}

/** Sorted by index in `order`; deletions go to the end. */
function sortBy(items: readonly Json[], order: readonly Json[], mergeKey: string): Json[] {
  const isDeletion = (item: Json) => isMembers(item) && item['$patch'] === 'delete';
  const index = new ElementIndex(order, mergeKey);
  const places = items.filter((item) => !isDeletion(item)).map((item) => ({ item, index: index.placeOf(item) }));
  const sorted = places.length <= INSERTION_SORTED ? insertionSorted(places) : places.sort(byIndex);
  return [...sorted.map(({ item }) => item), ...items.filter(isDeletion)];
}

interface Place {
  readonly item: Json;
  /** -1 if it is not in `order`. */
  readonly index: number;
}

/** Maximum length of lists that Go sorts by insertion. */
const INSERTION_SORTED = 20;

/**
 * Upstream ranks elements that are not in `order` below everything, themselves included: insertion sort reverses them.
 *
 * Upstream: normalizeSliceOrder, sort.SliceStable
 */
function insertionSorted(places: readonly Place[]): Place[] {
  const sorted: Place[] = [];
  for (const place of places) {
    let at = sorted.length;
    while (at > 0 && isLess(place, sorted[at - 1] as Place)) at--;
    sorted.splice(at, 0, place);
  }
  return sorted;
}

function isLess(a: Place, b: Place): boolean {
  return a.index < 0 || b.index < 0 || a.index < b.index;
}

function byIndex(a: Place, b: Place): number {
  return a.index >= 0 && b.index >= 0 ? a.index - b.index : 0;
}
