import { compareValues, isOrdered } from '../../values/compare.js';
import { ArrayList } from '../../values/lists.js';
import { typeName } from '../../values/runtime-type.js';
import { EvaluationError, type ListValue, type Result, type Value } from '../../values/value.js';

/** Upstream sorts short lists by insertion, which decides where NaN comes to stand. */
const MAX_INSERTION_SIZE = 12;

interface Pair {
  readonly key: Value;
  readonly value: Value;
}

/**
 * A list in the order of its keys. Equal keys keep their order; upstream promises that for 12 elements at most.
 *
 * Upstream: sortListByAssociatedKeys in github.com/google/cel-go/ext/lists.go
 */
export function sortByKeys(list: ListValue, keys: ListValue): Result {
  if (list.size !== keys.size) return wrongSize(list.size, keys.size);
  if (list.size === 0) return list;
  const first = keys.at(0);
  if (!isOrdered(first)) return new EvaluationError('list elements must be comparable');
  const sorted = list === keys && list.size > MAX_INSERTION_SIZE ? sortPrimitives(list) : undefined;
  if (sorted !== undefined) return sorted;
  const type = typeName(first);
  const pairs: Pair[] = [];
  for (let index = 0; index < list.size; index++) {
    const key = keys.at(index);
    if (typeName(key) !== type) return new EvaluationError('list elements must have the same type');
    pairs.push({ key, value: list.at(index) });
  }
  if (pairs.length <= MAX_INSERTION_SIZE) sortByInsertion(pairs);
  else pairs.sort(comparePairs);
  return new ArrayList(pairs.map(({ value }) => value));
}

const SURROGATES = /[\ud800-\udfff]/;

/**
 * A list of numbers, or of texts that UTF-16 orders by code points. Undefined for others: these take ten times as long.
 */
function sortPrimitives(list: ListValue): ListValue | undefined {
  const numbers: number[] = [];
  const texts: string[] = [];
  for (let index = 0; index < list.size; index++) {
    const value = list.at(index);
    if (typeof value === 'number') numbers.push(value);
    else if (typeof value === 'string' && !SURROGATES.test(value)) texts.push(value);
    else return undefined;
  }
  if (numbers.length === list.size) return new ArrayList([...Float64Array.from(numbers).sort()]);
  return texts.length === list.size ? new ArrayList(texts.sort()) : undefined;
}

function wrongSize(size: number, keys: number): EvaluationError {
  return new EvaluationError(
    `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${size} and ${keys} elements respectively`,
  );
}

function comparePairs(a: Pair, b: Pair): number {
  const order = compareValues(a.key, b.key);
  return typeof order === 'number' ? order : 0;
}

function sortByInsertion(pairs: Pair[]): void {
  for (const [end, moved] of pairs.entries()) {
    const before = pairs.slice(0, end);
    const at = before.findLastIndex((other) => comparePairs(moved, other) >= 0) + 1;
    pairs.splice(at, end - at + 1, moved, ...before.slice(at));
  }
}
