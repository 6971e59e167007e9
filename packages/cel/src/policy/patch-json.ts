import { quote } from '@apiserver/apimachinery/text';
import { valueText } from '../libraries/strings/value-text.js';
import { formatDuration } from '../time/duration.js';
import { formatTimestamp } from '../time/timestamp.js';
import { ConcatenatedList, elementsOf } from '../values/lists.js';
import { MadeObject } from '../values/made-object.js';
import { Double, Uint } from '../values/number.js';
import { runtimeType } from '../values/runtime-type.js';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  type Value,
} from '../values/value.js';
import { DynList, DynMap } from '../views/dyn-view.js';
import { type Converted, finite } from './converted.js';
import { PATCH_TYPE } from './mutation.js';
import { AUTHORIZATION, nativeTypeName } from './native-type.js';
import { keyFault, objectJson } from './object-json.js';

/**
 * The names of types that do not fit the fields they are in. An expression may write `Object.spec{…}` anywhere.
 *
 * Upstream: CheckTypeNamesMatchFieldPathNames of k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go
 */
export function misplacedTypes(object: MadeObject): readonly string[] {
  const misplaced: string[] = [];
  collectMisplaced(object, object.type.name, misplaced);
  return misplaced;
}

function collectMisplaced(value: Value, expected: string, misplaced: string[]): void {
  if (value instanceof MadeObject) {
    const { name } = value.type;
    if (name === PATCH_TYPE) return;
    if (name !== expected) {
      misplaced.push(
        `unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`,
      );
    }
    for (const [field, inner] of value.fields) collectMisplaced(inner, `${expected}.${field}`, misplaced);
    return;
  }
  const held = value instanceof OptionalValue ? collectionIn(value) : value;
  if (held instanceof ListValue && !(held instanceof DynList) && !(held instanceof ConcatenatedList)) {
    for (const element of elementsOf(held)) collectMisplaced(element, expected, misplaced);
  } else if (held instanceof MapValue && !(held instanceof DynMap)) {
    for (const key of held.keys()) collectMisplaced(held.find(key) ?? null, expected, misplaced);
  }
}

/** The value in an optional. Upstream looks at the elements of a list or map there, but at no object. */
function collectionIn({ value }: OptionalValue): Value | undefined {
  return value instanceof OptionalValue ? collectionIn(value) : value;
}

/** A value that has no form in the JSON of objects, as Go prints it. */
export interface ForeignValue {
  /** Names of fields and indices of lists. */
  readonly path: readonly (string | number)[];
  /** As `%v` prints it. */
  readonly text: string;
  /** As `%#v` prints it. */
  readonly syntax: string;
  readonly goType: string;
}

/**
 * The values in an object that upstream refuses there: null, and all but booleans, numbers, strings, types, lists and
 * maps.
 *
 * Upstream: convertField of k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go
 */
export function foreignValues(object: MadeObject): readonly ForeignValue[] {
  const found: ForeignValue[] = [];
  collectForeign(object, [], found);
  return found;
}

function collectForeign(value: Value, path: readonly (string | number)[], found: ForeignValue[]): void {
  if (value instanceof MadeObject && value.type.name !== PATCH_TYPE) {
    const fault = path.length === 0 ? undefined : keyFault(value)?.message;
    if (fault !== undefined) found.push({ path, text: fault, syntax: fault, goType: '*types.Err' });
    else for (const [field, inner] of value.fields) collectForeign(inner, [...path, field], found);
  } else if (value instanceof ListValue && !value.holdsTexts) {
    if (value instanceof DynList) return;
    for (let index = 0; index < value.size; index++) collectInside(value.at(index), [...path, index], found);
  } else if (value instanceof MapValue) {
    if (value instanceof DynMap) return;
    for (const key of value.keys()) {
      if (typeof key === 'string') collectInside(value.find(key) ?? null, [...path, key], found);
    }
  } else if (value instanceof OptionalValue) {
    if (value.value !== undefined) collectForeign(value.value, path, found);
  } else {
    const printed = printForeign(value);
    if (printed !== undefined) found.push({ path, ...printed });
  }
}

/** Literals of lists and maps inside others have no form. */
function collectInside(value: Value, path: readonly (string | number)[], found: ForeignValue[]): void {
  if (value instanceof OptionalValue) {
    if (value.value !== undefined) collectInside(value.value, path, found);
  } else if (value instanceof DynList || value instanceof DynMap || value instanceof ConcatenatedList) {
    collectForeign(value, path, found);
  } else if (value instanceof ListValue || value instanceof MapValue) {
    found.push({ path, ...(value instanceof ListValue ? printList(value) : printMap(value)) });
  } else collectForeign(value, path, found);
}

function printList(list: ListValue): Omit<ForeignValue, 'path'> {
  const goType = nativeTypeName(list);
  const elements = Array.from(elementsOf(list));
  const text = `[${elements.map(valueText).join(' ')}]`;
  return { text, syntax: `${goType}{${elements.map(memberSyntax).join(', ')}}`, goType };
}

function printMap(map: MapValue): Omit<ForeignValue, 'path'> {
  const goType = nativeTypeName(map);
  const members = Array.from(map.keys(), (key) => [key, map.find(key) ?? null] as const);
  const texts = members.map(([key, value]) => `${valueText(key)}:${valueText(value)}`).sort();
  const syntaxes = members.map(([key, value]) => `${memberSyntax(key)}:${memberSyntax(value)}`).sort();
  return { text: `map[${texts.join(' ')}]`, syntax: `${goType}{${syntaxes.join(', ')}}`, goType };
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
  if (value instanceof ConcatenatedList) return 'types.concatList';
  if (value instanceof ListValue) return 'types.baseList';
  if (value instanceof MapValue) return 'types.baseMap';
  if (value instanceof TypeValue) return 'types.Type';
  return value instanceof OptionalValue ? 'types.Optional' : undefined;
}

function printForeign(value: Value): Omit<ForeignValue, 'path'> | undefined {
  if (value instanceof ListValue) return printList(value);
  const goType = nativeTypeName(value);
  if (value === null) return { text: 'NULL_VALUE', syntax: '0', goType };
  if (typeof value !== 'object' || value instanceof Double || value instanceof TypeValue) return undefined;
  return { text: valueText(value), syntax: syntaxOf(value), goType: value instanceof Uint ? 'uint64' : goType };
}

function syntaxOf(value: Exclude<Value, null>): string {
  if (value instanceof Uint) return `0x${value.value.toString(16)}`;
  if (value instanceof Uint8Array) return `[]uint8{${bytesSyntax(value)}}`;
  if (value instanceof Duration) return String(value.nanoseconds);
  return value instanceof Timestamp ? timeSyntax(value) : valueText(value);
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

/** The JSON of values that a patch and a configuration hold in different forms. */
interface Reading {
  /** JSON of an integer beyond the safe ones. */
  large(value: bigint): Converted;
  double(value: number): Converted;
  object(value: MadeObject): Converted;
  value(value: TypeValue | OpaqueValue): Converted;
  /** The key of a map as the name of a member. */
  name(key: Value): string | EvaluationError;
  /** JSON of an optional without a value. */
  readonly none: Converted;
}

/** Upstream writes large integers as texts, since doubles would truncate them. */
const PATCH: Reading = {
  large: (value) => ({ json: String(value) }),
  double: finite,
  object: (value) => (value.type.name === PATCH_TYPE ? new EvaluationError(NO_VALUE) : objectJson(value)),
  value: (value) => unreadable(value, '*structpb.Value'),
  name: memberName,
  none: new EvaluationError('optional.none() dereference'),
};

const CONFIGURATION: Reading = {
  large: (value) => ({ json: value }),
  double: (value) => ({ json: value }),
  object: (value) => membersJson(new Map([...value.fields].map(withoutNone)), CONFIGURATION),
  value: (value) => ({ json: value instanceof TypeValue ? value.type.name : String(value) }),
  // A key that is no text is an error of its object.
  name: String,
  none: { json: null },
};

/** JSON of a value for a patch. */
export function patchJson(value: Value): Converted {
  return jsonOf(value, PATCH);
}

/** JSON of an apply configuration. Types are their names; `foreignValues` finds the values without a form. */
export function configurationJson(value: MadeObject): Converted {
  return keyFault(value) ?? jsonOf(value, CONFIGURATION);
}

function unreadable(value: TypeValue | OpaqueValue, goType: string): EvaluationError {
  if (value instanceof TypeValue) return new EvaluationError("type conversion not supported for 'type'");
  const { name } = value.type;
  const shown = name.startsWith(AUTHORIZATION) ? name : (SHOWN_NAMES[name] ?? name.slice(name.lastIndexOf('.') + 1));
  return new EvaluationError(`type conversion error from '${shown}' to '${goType}'`);
}

const SHOWN_NAMES: Readonly<Record<string, string>> = { 'kubernetes.NamedFormat': 'Format' };
const NO_VALUE = 'cannot convert to native type: *structpb.Value';

/** Values of these types are texts where a text is wanted. */
const TEXTUAL: ReadonlySet<string> = new Set(['Quantity', 'Semver', 'URL', 'CIDR', 'IP']);

/** Upstream: ConvertToNative of each type, for a string */
function memberName(key: Value): string | EvaluationError {
  if (typeof key === 'string') return key;
  if (key instanceof OptionalValue) {
    return key.value === undefined ? new EvaluationError('optional.none() dereference') : memberName(key.value);
  }
  const { name } = runtimeType(key);
  if (name === 'int' || name === 'uint') {
    return new EvaluationError(`unsupported type conversion from '${name}' to string`);
  }
  if (key instanceof MadeObject) {
    return new EvaluationError(
      name === PATCH_TYPE ? 'cannot convert to native type: string' : 'unable to convert to string',
    );
  }
  if (key instanceof TypeValue || key instanceof OpaqueValue) {
    return TEXTUAL.has(name.slice(name.lastIndexOf('.') + 1)) ? String(key) : unreadable(key, 'string');
  }
  return new EvaluationError(`type conversion error from ${KEY_NAMES[name] ?? name} to 'string'`);
}

/** Types as errors about keys name them. */
const KEY_NAMES: Readonly<Record<string, string>> = {
  double: 'Double',
  null_type: "'null_type'",
  'google.protobuf.Duration': "'Duration'",
  'google.protobuf.Timestamp': "'Timestamp'",
};

function jsonOf(value: Value, read: Reading): Converted {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return { json: value };
  if (typeof value === 'number') return { json: value };
  if (typeof value === 'bigint') return read.large(value);
  if (value instanceof Double) return read.double(value.value);
  if (value instanceof Uint) return typeof value.value === 'bigint' ? read.large(value.value) : { json: value.value };
  if (value instanceof DynList || value instanceof DynMap) return { json: value.json };
  if (value instanceof ListValue) return listJson(value, read);
  if (value instanceof MapValue) return mapJson(value, read);
  if (value instanceof MadeObject) return read.object(value);
  if (value instanceof Uint8Array) return { json: Buffer.from(value).toString('base64') };
  if (value instanceof Timestamp) return { json: formatTimestamp(value) };
  if (value instanceof Duration) return { json: formatDuration(value) };
  if (value instanceof OptionalValue) return value.value === undefined ? read.none : jsonOf(value.value, read);
  return read.value(value);
}

/** A field that holds no value is null. */
function withoutNone([field, value]: readonly [string, Value]): [string, Value] {
  return [field, value instanceof OptionalValue && value.value === undefined ? null : value];
}

function listJson(list: ListValue, read: Reading): Converted {
  const json: unknown[] = [];
  for (const element of elementsOf(list)) {
    const converted = jsonOf(element, read);
    if (converted instanceof EvaluationError) return converted;
    json.push(converted.json);
  }
  return { json };
}

function mapJson(map: MapValue, read: Reading): Converted {
  const members = new Map<string, Value>();
  for (const key of map.keys()) {
    const name = read.name(key);
    if (name instanceof EvaluationError) return name;
    members.set(name, map.find(key) ?? null);
  }
  return membersJson(members, read);
}

function membersJson(members: ReadonlyMap<string, Value>, read: Reading): Converted {
  const entries: [string, unknown][] = [];
  for (const [name, value] of members) {
    const converted = jsonOf(value, read);
    if (converted instanceof EvaluationError) return converted;
    entries.push([name, converted.json]);
  }
  // Unlike assignments, entries keep a member with the name of a prototype.
  return { json: Object.fromEntries(entries) };
}
