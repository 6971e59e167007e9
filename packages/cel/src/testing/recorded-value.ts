import { formatTimestamp } from '../time/timestamp.js';
import { formatShortest } from '../values/go-number.js';
import { readResult } from '../values/invalid-value.js';
import { elementsOf } from '../values/lists.js';
import { MadeObject } from '../values/made-object.js';
import { Double, Uint } from '../values/number.js';
import { typeName } from '../values/runtime-type.js';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  type Result,
  Timestamp,
  TypeValue,
  type Value,
} from '../values/value.js';

/** A value as the recording writes it. */
export interface RecordedValue {
  readonly t: string;
  readonly v: unknown;
}

/** A value in the form of the recording. */
export function recordedValue(given: Result): RecordedValue {
  const value = readResult(given);
  if (value instanceof EvaluationError) return { t: 'error', v: value.message };
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return { t: 'int', v: String(value) };
    case 'string':
      return { t: 'string', v: value };
    case 'boolean':
      return { t: 'bool', v: value };
  }
  if (value === null) return { t: 'null', v: null };
  if (value instanceof Uint) return { t: 'uint', v: String(value.value) };
  if (value instanceof Double) return { t: 'double', v: formatShortest(value.value) };
  if (value instanceof Uint8Array) return { t: 'bytes', v: Buffer.from(value).toString('base64') };
  if (value instanceof Duration) return { t: 'duration', v: `${value.nanoseconds}ns` };
  if (value instanceof Timestamp) {
    return { t: 'timestamp', v: formatTimestamp(new Timestamp(value.seconds, value.nanoseconds)) };
  }
  if (value instanceof ListValue) return { t: 'list', v: Array.from(elementsOf(value), recordedValue) };
  if (value instanceof MapValue) return recordedMap(value);
  if (value instanceof OptionalValue) {
    return { t: 'optional', v: value.value === undefined ? null : recordedValue(value.value) };
  }
  if (value instanceof TypeValue) return { t: 'type', v: value.type.name };
  if (value instanceof MadeObject) return recordedObject(value);
  return { t: typeName(value), v: String(value) };
}

function recordedMap(map: MapValue): RecordedValue {
  const pairs = Array.from(map.keys(), (key) => {
    if (key === null && map.hasHoles) return undefined;
    // An object shows a null of a field without one, but has no value of it.
    const absent: RecordedValue = { t: 'error', v: `no such key: ${String(key)}` };
    const value = map.find(key);
    return [recordedValue(key), value === undefined ? absent : recordedValue(value)];
  }).filter((pair) => pair !== undefined);
  const keyed = pairs.map((pair) => ({ key: JSON.stringify(pair[0]), pair }));
  return { t: 'map', v: keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ pair }) => pair) };
}

/** Patches show their fields as values, other objects as JSON. */
function recordedObject(object: MadeObject): RecordedValue {
  const { name } = object.type;
  if (name !== 'JSONPatch') return { t: `object:${name}`, v: jsonOf(object) };
  const value = object.fields.get('value');
  const [from, op, path] = ['from', 'op', 'path'].map((field) => object.find(field));
  return { t: name, v: { from, op, path, ...(value === undefined ? {} : { value: recordedValue(value) }) } };
}

/** A value as JSON: upstream makes null of an empty list. */
function jsonOf(value: Value): unknown {
  if (value instanceof MadeObject) return sorted([...value.fields].map(([name, field]) => [name, jsonOf(field)]));
  if (value instanceof MapValue) {
    return sorted(Array.from(value.keys(), (key) => [String(key), jsonOf(value.find(key) ?? null)]));
  }
  if (value instanceof ListValue) return value.size === 0 ? null : Array.from(elementsOf(value), jsonOf);
  if (value instanceof Uint || value instanceof Double) return Number(value.value);
  if (value instanceof Duration) return Number(value.nanoseconds);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return value instanceof OpaqueValue ? String(value) : value;
}

function sorted(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
