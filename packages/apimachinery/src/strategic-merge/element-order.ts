import { plainFailure } from '../errors/plain-failure.js';
import { formatGoValue } from '../json/go-value.js';
import { isMembers } from '../json/is-members.js';
import { getOwn, setOwn } from '../json/set-own.js';
import type { Schema } from '../schema/schema.js';
import type { Json, JsonObject } from '../types/json.js';
import { badArgumentType, badPatchFormat, noMergeKey } from './merge-errors.js';
import {
  assertElementTypes,
  type ListMerge,
  type MergeObject,
  mergeList,
  orderElements,
  partitionByPresence,
} from './merge-list.js';
import { patchMeta } from './merge-schema.js';
import { withoutDirectives } from './without-directives.js';

const ORDER_PREFIX = '$setElementOrder';

/**
 * Applies one `$setElementOrder/list` directive together with the patch's list of that name. Merges the list, then puts
 * its elements in the directive's order; elements that only the server has keep their place. Removes both members from
 * the patch.
 */
export function applyElementOrder(
  original: JsonObject,
  patch: JsonObject,
  { key, schema, mergeObject }: { readonly key: string; readonly schema: Schema; readonly mergeObject: MergeObject },
): void {
  const order = getOwn(patch, key);
  delete patch[key];
  if (!Array.isArray(order)) throw badArgumentType('list', order);
  if (!key.startsWith(`${ORDER_PREFIX}/`)) throw badPatchFormat('setElementOrder list');
  const name = key.slice(ORDER_PREFIX.length + 1);
  const originalList = optionalList(getOwn(original, name));
  const patchList = optionalList(getOwn(patch, name));
  const meta = { ...patchMeta(schema, name, true), isDeletion: false, mergeObject };
  if (patchList !== undefined) checkOrder(patchList, order, meta.mergeKey);
  const serverOrder =
    originalList && patchList && meta.merge ? orderInPlace(originalList, patchList, meta.mergeKey) : originalList;
  const merged = mergedList(originalList, patchList, meta);
  if (merged === undefined) return;
  const { present, absent } = partitionByPresence(merged, order, meta.mergeKey);
  const areObjects = assertElementTypes([originalList ?? [], patchList ?? []]);
  const ordered = orderElements(present, absent, {
    patchOrder: order,
    serverOrder: serverOrder ?? [],
    mergeKey: meta.mergeKey,
    areObjects,
  });
  setOwn(original, name, ordered);
  delete patch[name];
}

function optionalList(value: Json | undefined): Json[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value;
  throw badArgumentType('list', value);
}

/**
 * The live list as upstream sees it after the merge, which happens in the same array: as many added elements as deleted
 * ones follow the elements that are left. So they come behind those that only the server has.
 */
function orderInPlace(original: readonly Json[], patch: readonly Json[], mergeKey: string): readonly Json[] {
  const keyIn = (item: Json) => (isMembers(item) ? getOwn(item, mergeKey) : undefined);
  const deleted = new Set(patch.filter((item) => isMembers(item) && item['$patch'] === 'delete').map(keyIn));
  if (deleted.size === 0) return original;
  const left = original.filter((item) => !deleted.has(keyIn(item)));
  const keys = new Set(left.map(keyIn));
  const added = patch.filter((item) => {
    if (!isMembers(item) || Object.hasOwn(item, '$patch') || keys.has(keyIn(item))) return false;
    keys.add(keyIn(item));
    return true;
  });
  return [...left, ...added].slice(0, original.length);
}

function mergedList(
  original: Json[] | undefined,
  patch: Json[] | undefined,
  meta: ListMerge & { readonly merge: boolean },
): Json[] | undefined {
  if (original === undefined) return patch && (withoutDirectives(patch) as Json[]);
  if (patch === undefined) return original;
  return meta.merge ? mergeList([...original], patch, meta) : patch;
}

/** Checks that the patch's elements are in the order list, in that order; deletions and directives do not count. */
function checkOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const kept = mergeKey === '' ? patch : patch.filter((item) => !isDeletion(item));
  let at = 0;
  let orderAt = 0;
  while (at < kept.length && orderAt < order.length) {
    const item = kept[at] as Json;
    if (isMembers(item) && Object.hasOwn(item, '$patch')) {
      at++;
      continue;
    }
    if (sameElement(item, order[orderAt] as Json, mergeKey)) at++;
    orderAt++;
  }
  if (at < kept.length && orderAt >= order.length) {
    throw plainFailure(
      500,
      `The order in patch list:\n${formatGoValue(patch)}\n doesn't match ${ORDER_PREFIX} list:\n${formatGoValue(order)}\n`,
    );
  }
}

function isDeletion(item: Json): boolean {
  if (!isMembers(item)) throw badArgumentType('map', item);
  return item['$patch'] === 'delete';
}

function sameElement(left: Json, right: Json, mergeKey: string): boolean {
  if (mergeKey === '') return left === right;
  for (const item of [left, right]) if (!isMembers(item)) throw badArgumentType('map', item);
  return keyOf(left as JsonObject, mergeKey) === keyOf(right as JsonObject, mergeKey);
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const value = getOwn(item, mergeKey);
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}
