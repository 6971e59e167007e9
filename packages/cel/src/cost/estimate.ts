import { STRING_TRAVERSAL } from '../values/traversal.js';
import { type Amount, addAmounts, MAX_AMOUNT, multiplyAmounts, scaleAmount } from './amount.js';

/** The least and the most that a size or a cost can be. */
export interface Estimate {
  readonly min: Amount;
  readonly max: Amount;
}

export const UNKNOWN: Estimate = { min: 0, max: MAX_AMOUNT };
export const ZERO = fixed(0);
export const ONE = fixed(1);

export const REGEX_LENGTH = 0.25;

/** Costs of making a list, a map and a struct. */
export const LIST_CREATION = 10;
export const MAP_CREATION = 30;
export const STRUCT_CREATION = 40;

export function fixed(amount: Amount): Estimate {
  return { min: amount, max: amount };
}

export function plus(a: Estimate, b: Estimate): Estimate {
  return { min: addAmounts(a.min, b.min), max: addAmounts(a.max, b.max) };
}

export function times(a: Estimate, b: Estimate): Estimate {
  return { min: multiplyAmounts(a.min, b.min), max: multiplyAmounts(a.max, b.max) };
}

export function scaled(estimate: Estimate, factor: number): Estimate {
  return { min: scaleAmount(estimate.min, factor), max: scaleAmount(estimate.max, factor) };
}

/** Covers two estimates. */
export function union(a: Estimate, b: Estimate): Estimate {
  return { min: b.min < a.min ? b.min : a.min, max: b.max > a.max ? b.max : a.max };
}

/** Cost of reading a string of a size once. */
export function traversal(size: Estimate): Estimate {
  return scaled(size, STRING_TRAVERSAL);
}

/** Cost of a search with a regular expression: a search in an empty string costs something, too. */
export function regexSearch(text: Estimate, regex: Estimate): Estimate {
  return times(traversal(plus(text, ONE)), scaled(regex, REGEX_LENGTH));
}
