import { ForeignValue, NilList, setOwn } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { valueText } from '../libraries/strings/value-text.js';
import { ConcatenatedList, elementsOf } from '../values/lists.js';
import { MadeObject } from '../values/made-object.js';
import { Double, Uint } from '../values/number.js';
import { Duration, ListValue, MapValue, OptionalValue, Timestamp, TypeValue, type Value } from '../values/value.js';
import { DynList, DynMap } from '../views/dyn-view.js';
import type { Converted } from './converted.js';
import { NativeList, NativeMap } from './native-collections.js';
import { nativeTypeName, PATCH_TYPE } from './native-type.js';
import { keyFault, textKey } from './object-json.js';

/**
 * JSON of an apply configuration. Types are their names. Upstream refuses null there, and all but booleans, numbers,
 * strings, types, lists and maps: they are foreign values.
 *
 * Upstream: convertField of k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go
 */
export function configurationJson(value: MadeObject): Converted {
  return keyFault(value) ?? { json: membersJson(value.fields) };
}

function membersJson(members: ReadonlyMap<string, Value>): unknown {
  const json: { [name: string]: unknown } = {};
  members.forEach((value, name) => {
    setOwn(json, name, fieldJson(value));
  });
  return json;
}

function fieldJson(value: Value): unknown {
  if (value instanceof OptionalValue) return value.value === undefined ? null : fieldJson(value.value);
  if (value instanceof MadeObject && value.type.name !== PATCH_TYPE) {
    const fault = keyFault(value)?.message;
    return fault === undefined ? membersJson(value.fields) : new ForeignValue(fault, fault, '*types.Err');
  }
  if (value instanceof DynList || value instanceof DynMap) return value.json;
  if (value instanceof ListValue && !value.holdsTexts) {
    return value.size === 0 ? new NilList() : Array.from(elementsOf(value), memberJson);
  }
  if (value instanceof MapValue) {
    const json: { [name: string]: unknown } = {};
    for (const key of value.keys()) setOwn(json, textKey(key) ?? String(key), memberJson(value.find(key) ?? null));
    return json;
  }
  return scalarJson(value);
}

/** JSON of a member of a list or map. Literals of lists and maps inside others have no form. */
function memberJson(value: Value): unknown {
  if (value instanceof OptionalValue) return value.value === undefined ? null : memberJson(value.value);
  if (value instanceof DynList || value instanceof DynMap || value instanceof ConcatenatedList) return fieldJson(value);
  if (value instanceof NativeList || value instanceof NativeMap) return fieldJson(value);
  if (value instanceof ListValue) return printList(value);
  return value instanceof MapValue ? printMap(value) : fieldJson(value);
}

/** JSON of a value without members, or a foreign value. */
function scalarJson(value: Value): unknown {
  if (value instanceof ListValue) return printList(value);
  const goType = nativeTypeName(value);
  if (value === null) return new ForeignValue('NULL_VALUE', '0', goType);
  if (value instanceof Double) return value.value;
  if (value instanceof TypeValue) return value.type.name;
  if (typeof value !== 'object') return value;
  return new ForeignValue(valueText(value), syntaxOf(value), value instanceof Uint ? 'uint64' : goType);
}

function printList(list: ListValue): ForeignValue {
  const goType = nativeTypeName(list);
  const elements = Array.from(elementsOf(list));
  const text = `[${elements.map(valueText).join(' ')}]`;
  return new ForeignValue(text, `${goType}{${elements.map(memberSyntax).join(', ')}}`, goType);
}

function printMap(map: MapValue): ForeignValue {
  const goType = nativeTypeName(map);
  const members = Array.from(map.keys(), (key) => [key, map.find(key) ?? null] as const);
  const texts = members.map(([key, value]) => `${valueText(key)}:${valueText(value)}`).sort();
  const syntaxes = members.map(([key, value]) => `${memberSyntax(key)}:${memberSyntax(value)}`).sort();
  return new ForeignValue(`map[${texts.join(' ')}]`, `${goType}{${syntaxes.join(', ')}}`, goType);
}

/** Go prints the address of a value, which is another one each time. */
const ADDRESS = '0xc000000000';

/** A member as Go prints it by `%#v`. */
function memberSyntax(value: Value): string {
  if (typeof value === 'string') return quote(value);
  const pointed = pointedType(value);
  if (pointed !== undefined) return `(*${pointed})(${ADDRESS})`;
  if (value instanceof Uint8Array) return `types.Bytes{${bytesSyntax(value)}}`;
  if (value instanceof Duration) return `types.Duration{Duration:${value.nanoseconds}}`;
  return value instanceof Uint || value instanceof Timestamp ? syntaxOf(value) : valueText(value);
}

/** The Go type of a value that is behind a pointer. */
function pointedType(value: Value): string | undefined {
  if (value instanceof ListValue || value instanceof MapValue) return value.goType;
  if (value instanceof TypeValue) return 'types.Type';
  return value instanceof OptionalValue ? 'types.Optional' : undefined;
}

function syntaxOf(value: Exclude<Value, null>): string {
  if (value instanceof Uint) return `0x${value.value.toString(16)}`;
  if (value instanceof Uint8Array) return `[]uint8{${bytesSyntax(value)}}`;
  if (value instanceof Duration) return String(value.nanoseconds);
  if (value instanceof Timestamp) return timeSyntax(value);
  const type = nativeTypeName(value);
  return type.startsWith('*') && type !== '*types.Err' ? `(${type})(${ADDRESS})` : valueText(value);
}

function bytesSyntax(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(', ');
}

/** Upstream: GoString of Time in Go's time */
function timeSyntax({ seconds, nanoseconds, offset }: Timestamp): string {
  const there = new Date((seconds + offset) * 1000);
  const month = there.toLocaleString('en-US', { month: 'long', timeZone: 'UTC' });
  const date = `${there.getUTCFullYear()}, time.${month}, ${there.getUTCDate()}`;
  const time = `${there.getUTCHours()}, ${there.getUTCMinutes()}, ${there.getUTCSeconds()}, ${nanoseconds}`;
  return `time.Date(${date}, ${time}, ${offset === 0 ? 'time.UTC' : 'time.Location("")'})`;
}
