import { Double, type Int, Uint } from './number.js';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  OptionalValue,
  type Result,
  Timestamp,
  TypeValue,
  type Value,
} from './value.js';
import { WORK_OF_LIST, type Work, workOfLength } from './work.js';

/** The result of `a == b`: a boolean, or the error of values that do not compare. */
export function equalValues(a: Value, b: Value, work?: Work): Result {
  if (a === null || b === null) return a === b;
  return equalTo(a, b, work);
}

/** Equality as the value on the left sees it. Differs from that of `==` for null and values by their schema only. */
export function equalTo(a: Value, b: Value, work?: Work): Result {
  switch (typeof a) {
    case 'string':
      work?.spend(workOfLength(a.length));
      return a === b;
    case 'boolean':
      return a === b;
    case 'number':
    case 'bigint':
      return a === b || equalNumbers(a, b);
  }
  if (a === null) return b === null;
  if (a instanceof ListValue) return a.equals?.(b, work) ?? equalLists(a, b, work);
  if (a instanceof MapValue) return a.equals?.(b, work) ?? equalMaps(a, b, work);
  return equalObjects(a, b, work);
}

function equalObjects(
  a: Exclude<Value, null | boolean | Int | string | ListValue | MapValue>,
  b: Value,
  work?: Work,
): Result {
  if (a instanceof Double || a instanceof Uint) return equalNumbers(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds;
  if (a instanceof Timestamp) {
    return b instanceof Timestamp && a.seconds === b.seconds && a.nanoseconds === b.nanoseconds;
  }
  if (a instanceof OptionalValue) return equalOptionals(a, b, work);
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type.name === b.type.name;
  return a.equals(b, work);
}

function equalOptionals(a: OptionalValue, b: Value, work?: Work): Result {
  if (!(b instanceof OptionalValue)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalTo(a.value, b.value, work);
}

/** Equality of numbers across their types; a double compares as a double. */
function equalNumbers(a: Int | Uint | Double, b: Value): boolean {
  if (a instanceof Double) {
    if (b instanceof Double) return a.value === b.value;
    const integer = integerOf(b);
    return integer !== undefined && equalToDouble(integer, a.value);
  }
  const left = a instanceof Uint ? a.value : a;
  if (b instanceof Double) return equalToDouble(left, b.value);
  return left === integerOf(b);
}

function integerOf(value: Value): Int | undefined {
  if (value instanceof Uint) return value.value;
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

function equalToDouble(integer: Int, double: number): boolean {
  return Number(integer) === double;
}

/** Work of comparing one entry, besides that of its value. */
const WORK_OF_ENTRY = 40;

/** Equality of lists: an element that does not compare counts as equal, as upstream. */
function equalLists(a: ListValue, b: Value, work?: Work): boolean {
  if (!(b instanceof ListValue) || a.size !== b.size) return false;
  work?.spend(a.size + WORK_OF_LIST);
  for (let index = 0; index < a.size; index++) {
    if (equalValues(a.at(index), b.at(index), work) === false) return false;
  }
  return true;
}

function equalMaps(a: MapValue, b: Value, work?: Work): boolean {
  if (!(b instanceof MapValue) || a.size !== b.size) return false;
  work?.spend(a.size * WORK_OF_ENTRY);
  for (const key of a.keys()) {
    const [left, right] = [a.findUnescaped(key), b.find(key)];
    if (left === undefined || right === undefined || equalValues(left, right, work) === false) return false;
  }
  return true;
}

/** Reports whether a list holds a value. */
export function isElement(value: Value, list: ListValue, work?: Work): Result {
  let fault: EvaluationError | undefined;
  work?.spend(list.size);
  for (let index = 0; index < list.size; index++) {
    // A list by its schema compares its elements with the value, another list the value with its elements.
    const equal =
      list.equals === undefined ? equalTo(value, list.at(index), work) : equalTo(list.at(index), value, work);
    if (equal === true) return true;
    if (equal instanceof EvaluationError && list.equals !== undefined) fault ??= equal;
  }
  return fault ?? false;
}
