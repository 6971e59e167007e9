import { NO_SUCH_OVERLOAD } from './errors.js';
import { Double, type Int, Uint } from './number.js';
import { compareTexts } from './text-order.js';
import { Duration, EvaluationError, Timestamp, type Value } from './value.js';

const UNORDERED = new EvaluationError('NaN values cannot be ordered');

/** The order of two values: negative, zero or positive. */
export function compareValues(a: Value, b: Value): number | EvaluationError {
  switch (typeof a) {
    case 'number':
    case 'bigint':
      return compareNumbers(a, b);
    case 'string':
      return typeof b === 'string' ? compareTexts(a, b) : NO_SUCH_OVERLOAD;
    case 'boolean':
      return typeof b === 'boolean' ? Number(a) - Number(b) : NO_SUCH_OVERLOAD;
  }
  if (a instanceof Double || a instanceof Uint) return compareNumbers(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Duration && b instanceof Duration) return compareIntegers(a.nanoseconds, b.nanoseconds);
  if (a instanceof Timestamp && b instanceof Timestamp) {
    return a.seconds === b.seconds ? a.nanoseconds - b.nanoseconds : a.seconds - b.seconds;
  }
  return NO_SUCH_OVERLOAD;
}

/** True for values of a type with an order. */
export function isOrdered(value: Value): boolean {
  if (value === null) return false;
  if (typeof value !== 'object') return true;
  return (
    value instanceof Double ||
    value instanceof Uint ||
    value instanceof Uint8Array ||
    value instanceof Duration ||
    value instanceof Timestamp
  );
}

function compareNumbers(a: Int | Uint | Double, b: Value): number | EvaluationError {
  if (a instanceof Double) return compareDouble(a.value, b);
  const left = a instanceof Uint ? a.value : a;
  if (b instanceof Double) {
    const order = compareDouble(b.value, a);
    return order instanceof EvaluationError ? order : 0 - order;
  }
  const right = b instanceof Uint ? b.value : b;
  return typeof right === 'number' || typeof right === 'bigint' ? compareIntegers(left, right) : NO_SUCH_OVERLOAD;
}

/** Integers compare with a double as doubles. */
function compareDouble(a: number, b: Value): number | EvaluationError {
  const right = b instanceof Double ? b.value : b instanceof Uint ? Number(b.value) : integer(b);
  if (right === undefined) return NO_SUCH_OVERLOAD;
  if (Number.isNaN(a) || Number.isNaN(right)) return UNORDERED;
  return compareIntegers(a, right);
}

function integer(value: Value): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function compareIntegers(a: Int, b: Int): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
