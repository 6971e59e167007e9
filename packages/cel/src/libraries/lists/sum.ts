import { addToTimestamp } from '../../time/timestamp.js';
import { NO_SUCH_OVERLOAD } from '../../values/errors.js';
import { type CallCost, type Implementations, implement } from '../../values/implementation.js';
import { addIntegers, SIGNED, UNSIGNED } from '../../values/integer.js';
import { InvalidValue } from '../../values/invalid-value.js';
import { Double, isInt, Uint } from '../../values/number.js';
import { Duration, EvaluationError, type ListValue, type Result, Timestamp, type Value } from '../../values/value.js';
import { treeCost } from '../tree-cost.js';
import { LIST_WORK } from './compare-work.js';

const TREE: CallCost = ([list]) => (list === undefined ? 0 : treeCost(list));

function sum(list: ListValue, zero: Value): Result {
  let total: Result = zero;
  for (let index = 0; index < list.size; index++) {
    const element = list.at(index);
    if (element instanceof InvalidValue) return element.error;
    total = add(total, element);
    if (total instanceof EvaluationError) return total;
  }
  return total;
}

function add(a: Value, b: Value): Result {
  if (isInt(a)) return isInt(b) ? addIntegers(a, b, SIGNED) : NO_SUCH_OVERLOAD;
  if (a instanceof Double) return b instanceof Double ? new Double(a.value + b.value) : NO_SUCH_OVERLOAD;
  if (a instanceof Uint && b instanceof Uint) return addUints(a, b);
  if (a instanceof Duration) return addToDuration(a, b);
  return a instanceof Timestamp && b instanceof Duration ? later(a, b) : NO_SUCH_OVERLOAD;
}

function addUints(a: Uint, b: Uint): Result {
  const value = addIntegers(a.value, b.value, UNSIGNED);
  return value instanceof EvaluationError ? value : new Uint(value);
}

function addToDuration(a: Duration, b: Value): Result {
  if (b instanceof Timestamp) return later(b, a);
  if (!(b instanceof Duration)) return NO_SUCH_OVERLOAD;
  const nanoseconds = addIntegers(a.nanoseconds, b.nanoseconds, SIGNED);
  return nanoseconds instanceof EvaluationError ? nanoseconds : new Duration(nanoseconds);
}

function later(time: Timestamp, { nanoseconds }: Duration): Result {
  return addToTimestamp(time, BigInt(nanoseconds));
}

/** Upstream: sum in k8s.io/apiserver/pkg/cel/library/lists.go */
export const SUM_IMPLEMENTATIONS: Implementations = {
  list_double_sum_double: implement(['list(double)'], (list) => sum(list, new Double(0)), TREE, LIST_WORK),
  list_duration_sum_duration: implement(['list(duration)'], (list) => sum(list, new Duration(0)), TREE, LIST_WORK),
  list_int_sum_int: implement(['list(int)'], (list) => sum(list, 0), TREE, LIST_WORK),
  list_uint_sum_uint: implement(['list(uint)'], (list) => sum(list, new Uint(0)), TREE, LIST_WORK),
};
