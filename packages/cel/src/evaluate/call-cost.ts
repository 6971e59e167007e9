import { actualSize } from '../values/actual-size.js';
import { STRING_TRAVERSAL } from '../values/traversal.js';
import { OpaqueValue, type Result } from '../values/value.js';

/** The cost of passing a number of characters. */
function traversal(characters: number): number {
  return Math.ceil(characters * STRING_TRAVERSAL);
}

/** The cost of a call of one overload by its arguments. */
export type OverloadCost = (a: Result, b: Result) => number;

const passFirst: OverloadCost = (a) => traversal(actualSize(a));
const passBoth: OverloadCost = (a, b) => traversal(actualSize(a) + actualSize(b));
const passShorter: OverloadCost = (a, b) => traversal(Math.min(actualSize(a), actualSize(b)));

/** The cost of `==`. */
export function equalityCost(a: Result, b: Result): number {
  return a instanceof OpaqueValue ? 1 : inequalityCost(a, b);
}

/** The cost of `!=`. */
export function inequalityCost(a: Result, b: Result): number {
  return typeof a === 'number' && typeof b === 'number' ? 1 : passShorter(a, b);
}

/**
 * The costs of the overloads of the language that do not cost 1. They hold where the checker leaves one overload only.
 */
export const STANDARD_COSTS: Readonly<Record<string, OverloadCost>> = {
  starts_with_string: passFirst,
  ends_with_string: passFirst,
  string_to_bytes: passFirst,
  bytes_to_string: passFirst,
  in_list: (_, list) => actualSize(list),
  less_string: passShorter,
  greater_string: passShorter,
  less_equals_string: passShorter,
  greater_equals_string: passShorter,
  less_bytes: passShorter,
  greater_bytes: passShorter,
  less_equals_bytes: passShorter,
  greater_equals_bytes: passShorter,
  add_string: passBoth,
  add_bytes: passBoth,
  matches_string: (text, pattern) => traversal(1 + actualSize(text)) * Math.ceil(actualSize(pattern) * 0.25),
  contains_string: (text, part) => traversal(actualSize(text)) * traversal(actualSize(part)),
};
