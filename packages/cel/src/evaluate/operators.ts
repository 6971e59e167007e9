import { addToTimestamp, durationBetween } from '../time/timestamp.js';
import { COST_LIMIT_EXCEEDED, NO_SUCH_OVERLOAD } from '../values/errors.js';
import {
  addIntegers,
  divideIntegers,
  moduloIntegers,
  multiplyIntegers,
  negateInteger,
  SIGNED,
  subtractIntegers,
  UNSIGNED,
} from '../values/integer.js';
import { concatenate, GatheredList } from '../values/lists.js';
import { Double, type Int, isInt, Uint } from '../values/number.js';
import { Duration, EvaluationError, ListValue, type Result, Timestamp, type Value } from '../values/value.js';

type BinaryOperation = (a: Value, b: Value) => Result;

type IntegerOperation = typeof addIntegers;

/** The errors of values without an operation. Types with methods of their own have another text, as upstream. */
export function noOperation(value: Value, operator: string): EvaluationError {
  const hasMethods = typeof value === 'string' || value instanceof Duration || value instanceof Timestamp;
  return hasMethods ? NO_SUCH_OVERLOAD : new EvaluationError(`no such overload: ${operator}`);
}

/** `+` */
export function add(a: Value, b: Value): Result {
  switch (typeof a) {
    case 'number':
    case 'bigint':
      return isInt(b) ? addIntegers(a, b, SIGNED) : NO_SUCH_OVERLOAD;
    case 'string':
      return typeof b === 'string' ? a + b : NO_SUCH_OVERLOAD;
  }
  if (a instanceof ListValue) return b instanceof ListValue ? addLists(a, b) : NO_SUCH_OVERLOAD;
  if (a instanceof Double) return b instanceof Double ? new Double(a.value + b.value) : NO_SUCH_OVERLOAD;
  if (a instanceof Uint) return unsigned(addIntegers, a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.concat([a, b]) : NO_SUCH_OVERLOAD;
  if (a instanceof Duration && b instanceof Timestamp) return addToTimestamp(b, BigInt(a.nanoseconds));
  if (a instanceof Duration) return durations(addIntegers, a, b);
  if (!(a instanceof Timestamp)) return noOperation(a, '_+_');
  return b instanceof Duration ? addToTimestamp(a, BigInt(b.nanoseconds)) : NO_SUCH_OVERLOAD;
}

/** Elements of a list. A longer one costs more than any limit of Kubernetes as soon as a function reads it. */
const MAX_LIST = 10_000_000;

function addLists(a: ListValue, b: ListValue): Result {
  if (a.size + b.size > MAX_LIST) return COST_LIMIT_EXCEEDED;
  if (!(a instanceof GatheredList && a.open)) return concatenate(a, b);
  a.pushAll(b);
  return a;
}

/** `-` of two values */
export function subtract(a: Value, b: Value): Result {
  if (isInt(a)) return isInt(b) ? subtractIntegers(a, b, SIGNED) : NO_SUCH_OVERLOAD;
  if (a instanceof Double) return b instanceof Double ? new Double(a.value - b.value) : NO_SUCH_OVERLOAD;
  if (a instanceof Uint) return unsigned(subtractIntegers, a, b);
  if (a instanceof Duration) return durations(subtractIntegers, a, b);
  if (!(a instanceof Timestamp)) return noOperation(a, '_-_');
  if (b instanceof Timestamp) return durationBetween(b, a);
  return b instanceof Duration ? addToTimestamp(a, -BigInt(b.nanoseconds)) : NO_SUCH_OVERLOAD;
}

export const multiply = numeric('_*_', multiplyIntegers, (a, b) => a * b);
export const divide = numeric('_/_', divideIntegers, (a, b) => a / b);

/** `%` */
export function modulo(a: Value, b: Value): Result {
  if (isInt(a)) return isInt(b) ? moduloIntegers(a, b, SIGNED) : NO_SUCH_OVERLOAD;
  return a instanceof Uint ? unsigned(moduloIntegers, a, b) : noOperation(a, '_%_');
}

/** `-` of one value */
export function negate(value: Value): Result {
  if (isInt(value)) return negateInteger(value);
  if (value instanceof Double) return new Double(-value.value);
  if (value instanceof Duration) return durationOf(negateInteger(value.nanoseconds));
  return typeof value === 'boolean' ? NO_SUCH_OVERLOAD : noOperation(value, '-_');
}

function numeric(
  operator: string,
  integers: IntegerOperation,
  doubles: (a: number, b: number) => number,
): BinaryOperation {
  return (a, b) => {
    if (isInt(a)) return isInt(b) ? integers(a, b, SIGNED) : NO_SUCH_OVERLOAD;
    if (a instanceof Double) return b instanceof Double ? new Double(doubles(a.value, b.value)) : NO_SUCH_OVERLOAD;
    return a instanceof Uint ? unsigned(integers, a, b) : noOperation(a, operator);
  };
}

function unsigned(operation: IntegerOperation, a: Uint, b: Value): Result {
  if (!(b instanceof Uint)) return NO_SUCH_OVERLOAD;
  const result = operation(a.value, b.value, UNSIGNED);
  return result instanceof EvaluationError ? result : new Uint(result);
}

function durations(operation: IntegerOperation, a: Duration, b: Value): Result {
  return b instanceof Duration ? durationOf(operation(a.nanoseconds, b.nanoseconds, SIGNED)) : NO_SUCH_OVERLOAD;
}

function durationOf(nanoseconds: Int | EvaluationError): Result {
  return nanoseconds instanceof EvaluationError ? nanoseconds : new Duration(nanoseconds);
}
