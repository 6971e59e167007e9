import { formatDuration } from '../time/duration.js';
import { formatTimestamp } from '../time/timestamp.js';
import { typeString } from '../types/cel-type.js';
import { INTEGER_OVERFLOW, UNSIGNED_OVERFLOW } from '../values/errors.js';
import { readResult } from '../values/invalid-value.js';
import { ArrayList } from '../values/lists.js';
import { EntryMap } from '../values/maps.js';
import { Double, type Int, isInt, Uint } from '../values/number.js';
import { goTypeName, runtimeType } from '../values/runtime-type.js';
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
} from '../values/value.js';
import { JsonList } from '../views/json-list.js';
import { JsonMapValue } from '../views/json-object.js';
import { PreservedValue } from '../views/preserved-value.js';
import { EmptyMessage } from './empty-message.js';

/** The Go types of the fields of messages, as messages name them. */
export type GoType =
  | 'bool'
  | 'float32'
  | 'float64'
  | 'int32'
  | 'int64'
  | 'protoreflect.EnumNumber'
  | 'string'
  | 'uint32'
  | 'uint64'
  | 'uint8'
  | '[]uint8'
  | '*structpb.ListValue'
  | '*structpb.Struct'
  | '*structpb.Value';

const JSON_VALUE = '*structpb.Value';
const MAX_INT32 = 2 ** 31 - 1;
const MAX_UINT32 = 2 ** 32 - 1;
const MAX_UINT8 = 255;
/** A pointer, and the package of Go, in the names of the values of libraries. */
const LIBRARY = /^\*?(?:cel\.)?/;

/**
 * A value as a field of a Go type holds it. Lists, maps and numbers become those of JSON where the type is one of JSON.
 *
 * Upstream: the methods ConvertToNative in github.com/google/cel-go/common/types
 */
export function nativeValue(value: Result, type: GoType): Result {
  if (value instanceof EvaluationError) return value;
  if (typeof value === 'boolean') return isOf(type, 'bool') ? value : fault('type conversion error from bool', type);
  if (isInt(value)) return nativeInt(value, type);
  if (typeof value === 'string') {
    return isOf(type, 'string') ? value : fault('unsupported native conversion from string', type);
  }
  if (value === null) return type === JSON_VALUE ? null : fault("type conversion error from 'null_type'", type);
  if (value instanceof Uint) return nativeUint(value, type);
  if (value instanceof Double) return nativeDouble(value, type);
  if (value instanceof Uint8Array) return nativeBytes(value, type);
  if (value instanceof ListValue) return nativeList(value, type);
  if (value instanceof MapValue) return nativeMap(value, type);
  return nativeOther(value, type);
}

function isOf(type: GoType, own: GoType): boolean {
  return type === own || type === JSON_VALUE;
}

function fault(what: string, type: GoType): EvaluationError {
  return new EvaluationError(`${what} to '${type}'`);
}

/** An integer that JSON cannot hold exactly becomes a text. */
function nativeInt(value: Int, type: GoType): Result {
  switch (type) {
    case 'int64':
      return value;
    case 'int32':
    case 'protoreflect.EnumNumber':
      return value >= -MAX_INT32 - 1 && value <= MAX_INT32 ? value : INTEGER_OVERFLOW;
    case JSON_VALUE:
      return typeof value === 'number' ? new Double(value) : String(value);
    default:
      return new EvaluationError(`unsupported type conversion from 'int' to ${type}`);
  }
}

function nativeUint(value: Uint, type: GoType): Result {
  switch (type) {
    case 'uint64':
      return value;
    case 'uint32':
      return value.value <= MAX_UINT32 ? value : UNSIGNED_OVERFLOW;
    case 'uint8':
      return value.value <= MAX_UINT8 ? value : UNSIGNED_OVERFLOW;
    case JSON_VALUE:
      return typeof value.value === 'number' ? new Double(value.value) : String(value.value);
    default:
      return new EvaluationError(`unsupported type conversion from 'uint' to ${type}`);
  }
}

function nativeDouble(value: Double, type: GoType): Result {
  if (type === 'float32') return new Double(Math.fround(value.value));
  return isOf(type, 'float64') ? value : fault('type conversion error from Double', type);
}

function nativeBytes(value: Uint8Array, type: GoType): Result {
  if (type === JSON_VALUE) return Buffer.from(value).toString('base64');
  return type === '[]uint8' ? value : fault('type conversion error from Bytes', type);
}

function nativeList(list: ListValue, type: GoType): Result {
  if (list instanceof JsonList && type !== '[]uint8') return misfitOf(list, type);
  if (type === '[]uint8') return bytesOf(list);
  if (!isOf(type, '*structpb.ListValue')) return fault('type conversion error from list', type);
  return jsonList(list);
}

/** The elements of a list as values of JSON. */
export function jsonList(list: ListValue): Result {
  const elements: Value[] = [];
  for (let index = 0; index < list.size; index++) {
    const element = nativeValue(readResult(list.at(index)), JSON_VALUE);
    if (element instanceof EvaluationError) return element;
    elements.push(element);
  }
  return new ArrayList(elements);
}

function bytesOf(list: ListValue): Result {
  const bytes: number[] = [];
  for (let index = 0; index < list.size; index++) {
    const byte = nativeValue(readResult(list.at(index)), 'uint8');
    if (byte instanceof EvaluationError) return byte;
    if (byte instanceof Uint) bytes.push(Number(byte.value));
  }
  return Uint8Array.from(bytes);
}

function nativeMap(map: MapValue, type: GoType): Result {
  if (map instanceof JsonMapValue) return misfitOf(map, type);
  if (isOf(type, '*structpb.Struct')) return jsonMap(map);
  return type === '*structpb.ListValue' ? listOfMap(map) : fault('type conversion error from map', type);
}

/** The entries of a map as those of a JSON object. */
export function jsonMap(map: MapValue): Result {
  const entries = new EntryMap();
  for (const key of map.keys()) {
    const name = nativeValue(key, 'string');
    if (name instanceof EvaluationError) return name;
    const value = nativeValue(readResult(map.find(key) ?? null), JSON_VALUE);
    if (value instanceof EvaluationError) return value;
    entries.set(name, value);
  }
  return entries;
}

/** Upstream takes a list of JSON for a struct of Go, and looks for a field of the key's name in it. */
function listOfMap(map: MapValue): Result {
  const [key] = map.keys();
  if (key === undefined) return new ArrayList([]);
  const name = nativeValue(key, 'string');
  const text = typeof name === 'string' ? name : String(key);
  const field = text.charAt(0).toUpperCase() + text.slice(1);
  return new EvaluationError(`type conversion error, no such field '${field}' in type 'structpb.ListValue'`);
}

/** A list or a map by its schema, which upstream does not convert. */
function misfitOf(value: Value, type: GoType): EvaluationError {
  return fault(`type conversion error from '${typeString(runtimeType(value))}'`, type);
}

function nativeOther(value: Value, type: GoType): Result {
  if (value instanceof OptionalValue) {
    return value.value === undefined
      ? new EvaluationError('optional.none() dereference')
      : nativeValue(readResult(value.value), type);
  }
  if (value instanceof Duration) {
    return type === JSON_VALUE ? formatDuration(value) : fault("type conversion error from 'Duration'", type);
  }
  if (value instanceof Timestamp) {
    return type === JSON_VALUE ? formatTimestamp(value) : fault("type conversion error from 'Timestamp'", type);
  }
  if (value instanceof TypeValue) return new EvaluationError("type conversion not supported for 'type'");
  if (value instanceof EmptyMessage) return nativeEmpty(type);
  if (value instanceof PreservedValue) {
    const reason = 'not supported for values preserved by x-kubernetes-preserve-unknown-fields';
    return new EvaluationError(`type conversion to '${type}' ${reason}`);
  }
  return fault(`type conversion error from '${goTypeName(value).replace(LIBRARY, '')}'`, type);
}

function nativeEmpty(type: GoType): Result {
  if (type === JSON_VALUE) return new EntryMap();
  const message = /^\*structpb\.(?<name>.*)$/.exec(type)?.groups?.['name'];
  if (message === undefined) return fault("type conversion error from '*dynamicpb.Message'", type);
  const names = `google.protobuf.${message}, google.protobuf.Empty`;
  return new EvaluationError(`type conversion error: pb.Merge() arguments must be the same type. got: ${names}`);
}
