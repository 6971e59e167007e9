import { getOwn } from '../json/set-own.js';
import type { Schema } from '../schema/schema.js';
import type { Json, JsonObject } from '../types/json.js';
import { formatGoValue, goTypeName } from './go-value.js';
import { isObject } from './is-object.js';
import { badArgumentType, badPatchType, noListOfLists, noMergeKey, plainError } from './merge-errors.js';

/** How a list merges. */
export interface ListMerge {
  /** Of the elements. */
  readonly schema: Schema;
  readonly mergeKey: string;
  /** The patch lists what to take out of a list of primitives. */
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
    if (options.isDeletion) return original.filter((item) => !patch.includes(item));
    return arrange(deduplicate([...original, ...patch]), patch, { serverOrder: original, mergeKey: '' });
  }
  if (mergeKey === '') throw plainError('cannot merge lists without merge key for struct');
  const rest = applySpecialElements(original, patch, mergeKey);
  const merged = mergeElements(rest.original, rest.patch, options);
  return arrange(merged, rest.patch, { serverOrder: rest.original, mergeKey });
}

/**
 * Whether the elements of the lists are objects. They must all be of one type, and none a list.
 */
export function assertElementTypes(lists: readonly (readonly Json[])[]): boolean {
  const items = lists.flat(1) as readonly Json[];
  const first = items[0];
  if (first === undefined) throw plainError('no elements in any of the given slices');
  for (const item of lists.flatMap((list) => [...list])) {
    if (Array.isArray(item)) throw noListOfLists();
    if (goTypeName(item) !== goTypeName(first)) {
      throw plainError(`list element types are not identical: ${formatGoValue(lists)}`);
    }
  }
  return isObject(first);
}

/** Each value once. A later duplicate gives its place to the list's last value, as upstream's algorithm does. */
function deduplicate(items: Json[]): Json[] {
  let length = items.length;
  for (let i = 0; i < length - 1; i++) {
    for (let j = i + 1; j < length; j++) {
      if (items[i] !== items[j]) continue;
      items[j] = items[--length] as Json;
      j--;
    }
  }
  return items.slice(0, length);
}

interface Order {
  readonly serverOrder: readonly Json[];
  readonly mergeKey: string;
}

function arrange(merged: readonly Json[], patch: readonly Json[], order: Order): Json[] {
  const { present, absent } = partitionByPresence(merged, patch, order.mergeKey);
  return orderElements(present, absent, { ...order, patchOrder: patch });
}

/** Carries out the elements that are directives and returns what is left on both sides. */
function applySpecialElements(
  original: Json[],
  patch: readonly Json[],
  mergeKey: string,
): { readonly original: Json[]; readonly patch: Json[] } {
  const plain: Json[] = [];
  let rest = original;
  let replace = false;
  for (const item of patch as readonly JsonObject[]) {
    const directive = getOwn(item, '$patch');
    if (directive === undefined) plain.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'delete') rest = withoutMatching(rest, item, mergeKey);
    else if (directive === 'merge') throw plainError('merging lists cannot yet be specified in the patch');
    else throw badPatchType(directive, item);
  }
  return replace ? { original: plain, patch: [] } : { original: rest, patch: plain };
}

function withoutMatching(items: Json[], directive: JsonObject, mergeKey: string): Json[] {
  const value = getOwn(directive, mergeKey);
  if (value === undefined) throw noMergeKey(directive, mergeKey);
  return items.filter((item, i) => matchValue(item, i, mergeKey) !== value);
}

function matchValue(item: Json, index: number, mergeKey: string): Json | undefined {
  if (!isObject(item)) throw plainError(`value for key ${index} is not a map.`);
  return getOwn(item, mergeKey);
}

function mergeElements(original: Json[], patch: readonly Json[], options: ListMerge): Json[] {
  const merged = [...original];
  for (const item of patch as readonly JsonObject[]) {
    const value = getOwn(item, options.mergeKey);
    if (value === undefined) throw noMergeKey(item, options.mergeKey);
    const at = merged.findIndex((candidate, i) => matchValue(candidate, i, options.mergeKey) === value);
    if (at === -1) merged.push(item);
    else merged[at] = options.mergeObject(merged[at] as JsonObject, item, options.schema);
  }
  return merged;
}

/** Splits a list by whether an element stands in the other list: by value, or by merge key. */
export function partitionByPresence(
  items: readonly Json[],
  others: readonly Json[],
  mergeKey: string,
): { readonly present: Json[]; readonly absent: Json[] } {
  const present: Json[] = [];
  const absent: Json[] = [];
  for (const item of items) (isPresent(item, others, mergeKey) ? present : absent).push(item);
  return { present, absent };
}

function isPresent(item: Json, others: readonly Json[], mergeKey: string): boolean {
  if (mergeKey === '') return others.includes(item);
  const value = requiredKey(item, mergeKey);
  return others.some((other, i) => matchValue(other, i, mergeKey) === value);
}

function requiredKey(item: Json, mergeKey: string): Json {
  if (!isObject(item)) throw badArgumentType('map', item);
  const value = getOwn(item, mergeKey);
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}

/**
 * Puts the patch's elements in the patch's order and the server's in theirs, and zips the two: a server element goes
 * before a patch element only where the live list had it so.
 */
export function orderElements(
  patch: readonly Json[],
  serverOnly: readonly Json[],
  options: Order & { readonly patchOrder: readonly Json[] },
): Json[] {
  const { patchOrder, serverOrder, mergeKey } = options;
  const right = sortBy(patch, patchOrder, mergeKey);
  const left = sortBy(serverOnly, serverOrder, mergeKey);
  const out: Json[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const li = indexIn(serverOrder, left[i] as Json, mergeKey);
    const ri = indexIn(serverOrder, right[j] as Json, mergeKey);
    out.push((li >= 0 && ri >= 0 && li < ri ? left[i++] : right[j++]) as Json);
  }
  return [...out, ...left.slice(i), ...right.slice(j)];
}

/** Sorted by place in `order`; deletions go to the end. */
function sortBy(items: readonly Json[], order: readonly Json[], mergeKey: string): Json[] {
  const isDeletion = (item: Json) => isObject(item) && item['$patch'] === 'delete';
  if (mergeKey !== '') for (const item of [...items, ...order]) requiredKey(item, mergeKey);
  const places = items
    .filter((item) => !isDeletion(item))
    .map((item) => ({ item, index: indexIn(order, item, mergeKey) }));
  const sorted = places.length <= INSERTION_SORTED ? insertionSorted(places) : places.sort(byIndex);
  return [...sorted.map(({ item }) => item), ...items.filter(isDeletion)];
}

interface Place {
  readonly item: Json;
  /** -1: `order` does not have it. */
  readonly index: number;
}

/** Lists up to this length Go sorts by inserting. */
const INSERTION_SORTED = 20;

/**
 * To upstream what `order` does not have is less than everything, itself included: insertion turns such elements around.
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

function indexIn(order: readonly Json[], item: Json, mergeKey: string): number {
  if (mergeKey === '') return order.indexOf(item);
  const value = isObject(item) ? getOwn(item, mergeKey) : undefined;
  return order.findIndex((other) => isObject(other) && getOwn(other, mergeKey) === value);
}
