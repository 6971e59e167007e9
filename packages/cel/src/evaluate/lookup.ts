import { EmptyMessage } from '../messages/empty-message.js';
import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { formatShortest } from '../values/go-number.js';
import { InvalidValue, readResult } from '../values/invalid-value.js';
import { Double, type Int, Uint } from '../values/number.js';
import { goTypeName, typeName } from '../values/runtime-type.js';
import {
  EvaluationError,
  ListValue,
  MapValue,
  ObjectValue,
  type Result,
  TypeValue,
  type Value,
} from '../values/value.js';

/** The part of a value by a key or a field; undefined if it has no such part. The part of a list may be invalid. */
export function lookUp(value: Value, key: Value): Result | undefined {
  if (value instanceof MapValue) {
    const found = isKey(key) ? value.find(key) : invalidKey(key);
    return found === undefined ? undefined : readResult(found);
  }
  if (!isKey(key)) return invalidKey(key);
  if (value instanceof ListValue) return lookUpIndex(value, key);
  if (value instanceof ObjectValue) return lookUpField(value, key);
  return value instanceof InvalidValue ? value.error : undefined;
}

/** Reports whether a value has a part. */
export function hasPart(value: Value, key: Value): boolean | EvaluationError {
  if (value instanceof ObjectValue && typeof key === 'string') return value.has(key);
  const found = lookUp(value, key);
  return found instanceof EvaluationError ? found : found !== undefined;
}

function lookUpField(value: ObjectValue, key: Value): Result | undefined {
  if (typeof key !== 'string') return value instanceof EmptyMessage ? NO_SUCH_OVERLOAD : undefined;
  const found = value.find(key);
  return found === undefined ? undefined : readResult(found);
}

function lookUpIndex(list: ListValue, key: Value): Result | undefined {
  const index = indexOf(key);
  if (index instanceof EvaluationError) return index;
  return index >= 0 && index < list.size ? list.at(Number(index)) : undefined;
}

function indexOf(key: Value): Int | EvaluationError {
  if (typeof key === 'number' || typeof key === 'bigint') return key;
  if (!(key instanceof Uint || key instanceof Double)) {
    return new EvaluationError(`unsupported index type '${typeName(key)}' in list`);
  }
  if (Number.isInteger(Number(key.value)) && key.value > -(2n ** 63n) && key.value < 2n ** 63n) return key.value;
  return new EvaluationError(`unsupported index value ${formatKey(key)} in list`);
}

/** Reports whether a value may select a part. */
export function isKey(key: Value): boolean {
  return key !== null && (typeof key !== 'object' || key instanceof Uint || key instanceof Double);
}

/** The error of a value that may not select a part. */
export function invalidKey(key: Value): EvaluationError {
  return new EvaluationError(`invalid qualifier type: ${goTypeName(key)}`);
}

/** The same for a value that upstream holds as one of Go's own. */
export function invalidNativeKey(key: Value): EvaluationError {
  if (key === null) return new EvaluationError('invalid qualifier type: <nil>');
  const isMap = key instanceof MapValue || key instanceof ObjectValue;
  if (!(isMap || key instanceof ListValue)) return invalidKey(key);
  return new EvaluationError(`invalid qualifier type: ${isMap ? 'map[string]interface {}' : '[]interface {}'}`);
}

/** The error of a part that a value does not have. */
export function missingPart(value: Value, key: Value): EvaluationError {
  const fault = value instanceof ListValue ? 'index out of bounds' : 'no such key';
  return new EvaluationError(`${fault}: ${formatKey(key)}`);
}

/** A key as messages print it. */
export function formatKey(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  if (key instanceof Double) return formatShortest(key.value);
  return key instanceof TypeValue ? key.type.name : String(key);
}
