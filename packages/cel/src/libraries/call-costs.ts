import { actualSize } from '../values/actual-size.js';
import type { CallCost } from '../values/implementation.js';
import { STRING_TRAVERSAL } from '../values/traversal.js';
import { OptionalValue, type Result } from '../values/value.js';

/** The cost of a character of a regular expression, for each tenth character of the text. */
const PATTERN = 0.25;

// The costs of the functions of libraries at run time. Upstream: CallCost in k8s.io/apiserver/pkg/cel/library/cost.go

/** A pass over the first argument. */
export const TRAVERSE_FIRST: CallCost = ([first]) => traversal(first);

/** A pass over the first argument, and the construction of the result. */
export const TRAVERSE_FIRST_TWICE: CallCost = ([first]) => Math.ceil(sizeOf(first) * 2 * STRING_TRAVERSAL);

/** The construction of the result. */
export const TRAVERSE_RESULT_TWICE: CallCost = (_args, result) => Math.ceil(sizeOf(result) * 2 * STRING_TRAVERSAL);

/** A search with a regular expression, the second argument. */
export const SEARCH: CallCost = ([text, pattern]) => searchCost(text, sizeOf(pattern));

/** The cost of a search with an expression of this length. */
export function searchCost(text: Result | undefined, patternSize: number): number {
  return Math.ceil((1 + sizeOf(text)) * STRING_TRAVERSAL) * Math.ceil(patternSize * PATTERN);
}

/** The cost of a pass over a value. */
export function traversal(value: Result | undefined): number {
  return Math.ceil(sizeOf(value) * STRING_TRAVERSAL);
}

/** The size of an argument. The libraries do not look into optionals, unlike the standard functions. */
export function sizeOf(value: Result | undefined): number {
  return value === undefined || value instanceof OptionalValue ? 1 : actualSize(value);
}
