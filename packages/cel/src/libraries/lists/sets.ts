import { isElement } from '../../values/equality.js';
import { COST_LIMIT_EXCEEDED } from '../../values/errors.js';
import { type CallCost, type Implementations, implement } from '../../values/implementation.js';
import type { ListValue, Result } from '../../values/value.js';
import { sizeOf } from '../call-costs.js';
import { compareWork } from './compare-work.js';

/** Calls that cost more than any limit of Kubernetes do not run: their cost ends the evaluation. */
const MAX_COST = 10_000_000;

/** A comparison of each element of one list with each of the other, `factor` times. */
const products =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + sizeOf(a) * sizeOf(b) * factor;

function contains(list: ListValue, part: ListValue): Result {
  for (let index = 0; index < part.size; index++) {
    const found = isElement(part.at(index), list);
    if (found !== true) return found;
  }
  return true;
}

function intersects(a: ListValue, b: ListValue): Result {
  for (let index = 0; index < a.size; index++) {
    if (isElement(a.at(index), b) === true) return true;
  }
  return false;
}

function equivalent(a: ListValue, b: ListValue): Result {
  const found = contains(a, b);
  return found === true ? contains(b, a) : found;
}

function setFunction(run: (a: ListValue, b: ListValue) => Result, factor: number) {
  const bounded = (a: ListValue, b: ListValue) => (a.size * b.size > MAX_COST ? COST_LIMIT_EXCEEDED : run(a, b));
  return implement(['list', 'list'], bounded, products(factor), ([a, b]) => factor * compareWork(a, b));
}

/** Upstream: github.com/google/cel-go/ext/sets.go */
export const SETS_IMPLEMENTATIONS: Implementations = {
  list_sets_contains_list: setFunction(contains, 1),
  list_sets_equivalent_list: setFunction(equivalent, 2),
  list_sets_intersects_list: setFunction(intersects, 1),
};
