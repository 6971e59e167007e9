import { compareValues, isOrdered } from '../../values/compare.js';
import { equalTo } from '../../values/equality.js';
import { COST_LIMIT_EXCEEDED } from '../../values/errors.js';
import { type CallCost, type CallWork, type Implementations, implement } from '../../values/implementation.js';
import { misfit } from '../../values/invalid-value.js';
import { ArrayList } from '../../values/lists.js';
import type { Int } from '../../values/number.js';
import { Panic } from '../../values/panic.js';
import { goTypeName, typeName } from '../../values/runtime-type.js';
import { EvaluationError, ListValue, type Result, type Value } from '../../values/value.js';
import { sizeOf } from '../call-costs.js';
import { treeCost } from '../tree-cost.js';
import { compareWork, LIST_WORK, TREE_WORK } from './compare-work.js';
import { RangeList } from './range-list.js';
import { sortByKeys } from './sort-by-keys.js';
import { SUM_IMPLEMENTATIONS } from './sum.js';

/** The cost of a call that makes a list: that of the call, and of the list. */
const LIST_COST = 1 + 10;

/** Calls that cost more than any limit of Kubernetes do not run: their cost ends the evaluation. */
const MAX_COST = 10_000_000;

/** A pass over the list and all that it holds. */
export const TREE: CallCost = ([list]) => (list === undefined ? 0 : treeCost(list));

const OUTPUT: CallCost = (_args, result) => sizeOf(result) + LIST_COST;

/** A comparison of each element with each other. */
function selfCompareCost(list: Result | undefined = null): number {
  if (!(list instanceof ListValue)) throw new Panic(noList(list));
  const size = sizeOf(list);
  const first = size > 0 ? list.at(0) : undefined;
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2.1 : 2;
  return Math.floor(size * size * factor) + LIST_COST;
}

/** Go names the first method of lists that a type lacks. Types with `+` have the first one, Add. */
function noList(value: Result): string {
  const type = goNameOf(value);
  const missing = ADDABLE.has(type) ? 'Contains' : 'Add';
  return `interface conversion: ${type} is not traits.Lister: missing method ${missing}`;
}

function goNameOf(value: Result): string {
  return value instanceof EvaluationError ? '*types.Err' : goTypeName(value);
}

const ADDABLE: ReadonlySet<string> = new Set(
  ['Bytes', 'Double', 'Duration', 'Int', 'String', 'Timestamp', 'Uint'].map((name) => `types.${name}`),
);

const SELF_COMPARE: CallCost = ([list]) => selfCompareCost(list);
const KEYS_COMPARE: CallCost = ([, keys]) => selfCompareCost(keys);

/** A sum below zero is a huge cost: upstream's have no sign. */
const OVERFLOWN = 2 ** 63;

/**
 * Upstream lets a negative depth lower the sum of costs, which wraps below zero. Here no call costs less than nothing.
 */
const FLATTEN: CallCost = ([list, depth = 1]) => {
  if (typeof depth !== 'number' && typeof depth !== 'bigint') {
    throw new Panic(`interface conversion: ref.Val is ${goNameOf(depth)}, not types.Int`);
  }
  const cost = Math.trunc(sizeOf(list) * Number(depth)) + LIST_COST;
  return cost < -MAX_COST ? OVERFLOWN : Math.max(0, cost);
};

function slice(list: ListValue, start: Int, end: Int): Result {
  const cannot = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) return new EvaluationError(`${cannot}, negative indexes not supported`);
  if (start > end) return new EvaluationError(`${cannot}, start index must be less than or equal to end index`);
  if (end > list.size) return new EvaluationError(`${cannot}, list is length ${list.size}`);
  const elements: Value[] = [];
  for (let index = Number(start); index < end; index++) elements.push(list.at(index));
  return new ArrayList(elements);
}

function reverse(list: ListValue): Result {
  return new ArrayList(Array.from({ length: list.size }, (_, index) => list.at(list.size - 1 - index)));
}

function flatten(list: Value, depth: Int | undefined): Result {
  if (!(list instanceof ListValue)) {
    const argument = depth === undefined ? '' : 'int';
    return new EvaluationError(`no such overload: ${typeName(list)}.flatten(${argument})`);
  }
  if (depth !== undefined && depth < 0) return new EvaluationError('level must be non-negative');
  const elements: Value[] = [];
  flattenInto(elements, list, Number(depth ?? 1));
  return new ArrayList(elements);
}

function flattenInto(elements: Value[], list: ListValue, depth: number): void {
  for (let index = 0; index < list.size; index++) {
    const element = list.at(index);
    if (depth > 0 && element instanceof ListValue) flattenInto(elements, element, depth - 1);
    else elements.push(element);
  }
}

function distinct(list: ListValue): Result {
  if (selfCompareCost(list) > MAX_COST) return COST_LIMIT_EXCEEDED;
  const elements: Value[] = [];
  for (let index = 0; index < list.size; index++) {
    const element = list.at(index);
    if (!elements.some((other) => equalTo(element, other) === true)) elements.push(element);
  }
  return elements.length === list.size && !list.holdsTexts ? list : new ArrayList(elements);
}

function indexOf(list: ListValue, value: Value): Result {
  for (let index = 0; index < list.size; index++) {
    if (equalTo(list.at(index), value) === true) return index;
  }
  return -1;
}

function lastIndexOf(list: ListValue, value: Value): Result {
  for (let index = list.size - 1; index >= 0; index--) {
    if (equalTo(list.at(index), value) === true) return index;
  }
  return -1;
}

/** Values that do not compare with each other, as NaN, are in order. */
function isSorted(list: ListValue): Result {
  for (let index = 0; index < list.size; index++) {
    const element = list.at(index);
    if (!isOrdered(element)) return misfit(element);
    if (index > 0 && isAbove(list.at(index - 1), element)) return false;
  }
  return true;
}

function isAbove(a: Value, b: Value): boolean {
  const order = compareValues(a, b);
  return typeof order === 'number' && order > 0;
}

function extreme(list: ListValue, name: 'max' | 'min'): Result {
  let result: Value | undefined;
  for (let index = 0; index < list.size; index++) {
    const element = list.at(index);
    if (!isOrdered(element)) return misfit(element);
    const replaces = result === undefined || (name === 'max' ? isBelow(result, element) : isAbove(result, element));
    if (replaces) result = element;
  }
  return result ?? new EvaluationError(`${name} called on empty list`);
}

function isBelow(a: Value, b: Value): boolean {
  const order = compareValues(a, b);
  return typeof order === 'number' && order < 0;
}

/** The types with an order, with their names in the overloads of sort. */
const ORDERED = [
  ['bool', 'bool'],
  ['bytes', 'bytes'],
  ['double', 'double'],
  ['duration', 'google.protobuf.Duration'],
  ['int', 'int'],
  ['string', 'string'],
  ['timestamp', 'google.protobuf.Timestamp'],
  ['uint', 'uint'],
] as const;

/** Where the type of the list is open, sorting costs 1. */
const SORT_WORK: CallWork = ([list]) => (list instanceof ListValue ? list.size * 50 : 0);

/** Upstream has one function for all types, which takes any list. */
const SORT = implement(['list'], (values) => sortByKeys(values, values), SELF_COMPARE, SORT_WORK);
const SORT_BY_KEYS = implement(['list', 'list'], sortByKeys, KEYS_COMPARE, SORT_WORK);

/** The functions of lists with an order, once for each type. */
function orderedImplementations(): Implementations {
  const entries = ORDERED.flatMap(([kind, name]) => {
    const list = `list(${kind})` as const;
    return [
      [`list_${kind}_is_sorted_bool`, implement([list], isSorted, TREE, LIST_WORK)],
      [`list_${kind}_max_${kind}`, implement([list], (values) => extreme(values, 'max'), TREE, LIST_WORK)],
      [`list_${kind}_min_${kind}`, implement([list], (values) => extreme(values, 'min'), TREE, LIST_WORK)],
      [`list_${name}_sort`, SORT],
      [`list_${name}_sortByAssociatedKeys`, SORT_BY_KEYS],
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Upstream: github.com/google/cel-go/ext/lists.go, version 3, and k8s.io/apiserver/pkg/cel/library/lists.go */
export const LISTS_IMPLEMENTATIONS: Implementations = {
  ...orderedImplementations(),
  ...SUM_IMPLEMENTATIONS,
  list_a_index_of_int: implement(['list', 'any'], indexOf, TREE, TREE_WORK),
  list_a_last_index_of_int: implement(['list', 'any'], lastIndexOf, TREE, TREE_WORK),
  list_distinct: implement(['list'], distinct, SELF_COMPARE, ([list]) => compareWork(list, list)),
  list_flatten: implement(['any'], (list) => flatten(list, undefined), FLATTEN, TREE_WORK),
  list_flatten_int: implement(['any', 'int'], flatten, FLATTEN, TREE_WORK),
  list_reverse: implement(['list'], reverse, OUTPUT, LIST_WORK),
  list_slice: implement(['list', 'int', 'int'], slice, OUTPUT, LIST_WORK),
  lists_range: implement(
    ['int'],
    (size) => (size > MAX_COST ? COST_LIMIT_EXCEEDED : new RangeList(Number(size))),
    OUTPUT,
  ),
};
