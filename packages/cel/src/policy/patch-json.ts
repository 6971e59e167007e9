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
import { AUTHORIZATION, PATCH_TYPE } from './native-type.js';
import { isNative, objectJson } from './object-json.js';

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
  if (held === undefined || isNative(held) || held instanceof ConcatenatedList) return;
  if (held instanceof ListValue) {
    for (const element of elementsOf(held)) collectMisplaced(element, expected, misplaced);
  } else if (held instanceof MapValue) {
    for (const key of held.keys()) collectMisplaced(held.find(key) ?? null, expected, misplaced);
  }
}

/** The value in an optional. Upstream looks at the elements of a list or map there, but at no object. */
function collectionIn({ value }: OptionalValue): Value | undefined {
  return value instanceof OptionalValue ? collectionIn(value) : value;
}

/** JSON of a value for a patch. */
export function patchJson(value: Value): Converted {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return { json: value };
  if (typeof value === 'number') return { json: value };
  // Upstream writes large integers as texts, since doubles would truncate them.
  if (typeof value === 'bigint') return { json: String(value) };
  if (value instanceof Double) return finite(value.value);
  if (value instanceof Uint) return { json: typeof value.value === 'bigint' ? String(value.value) : value.value };
  if (value instanceof DynList || value instanceof DynMap) return { json: value.json };
  if (value instanceof ListValue) return listJson(value);
  if (value instanceof MapValue) return mapJson(value);
  if (value instanceof MadeObject) {
    return value.type.name === PATCH_TYPE ? new EvaluationError(NO_VALUE) : objectJson(value);
  }
  if (value instanceof Uint8Array) return { json: Buffer.from(value).toString('base64') };
  if (value instanceof Timestamp) return { json: formatTimestamp(value) };
  if (value instanceof Duration) return { json: formatDuration(value) };
  if (value instanceof OptionalValue) return value.value === undefined ? NO_MEMBER : patchJson(value.value);
  return unreadable(value, '*structpb.Value');
}

function unreadable(value: TypeValue | OpaqueValue, goType: string): EvaluationError {
  if (value instanceof TypeValue) return new EvaluationError("type conversion not supported for 'type'");
  const { name } = value.type;
  const shown = name.startsWith(AUTHORIZATION) ? name : (SHOWN_NAMES[name] ?? name.slice(name.lastIndexOf('.') + 1));
  return new EvaluationError(`type conversion error from '${shown}' to '${goType}'`);
}

const SHOWN_NAMES: Readonly<Record<string, string>> = { 'kubernetes.NamedFormat': 'Format' };
const NO_MEMBER = new EvaluationError('optional.none() dereference');
const NO_VALUE = 'cannot convert to native type: *structpb.Value';

/** Values of these types are texts where a text is wanted. */
const TEXTUAL: ReadonlySet<string> = new Set(['Quantity', 'Semver', 'URL', 'CIDR', 'IP']);

/** Upstream: ConvertToNative of each type, for a string */
function memberName(key: Value): string | EvaluationError {
  if (typeof key === 'string') return key;
  if (key instanceof OptionalValue) {
    return key.value === undefined ? NO_MEMBER : memberName(key.value);
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

function listJson(list: ListValue): Converted {
  const json: unknown[] = [];
  for (const element of elementsOf(list)) {
    const converted = patchJson(element);
    if (converted instanceof EvaluationError) return converted;
    json.push(converted.json);
  }
  return { json };
}

function mapJson(map: MapValue): Converted {
  const entries = new Map<string, unknown>();
  for (const key of map.keys()) {
    const name = memberName(key);
    if (name instanceof EvaluationError) return name;
    const converted = patchJson(map.find(key) ?? null);
    if (converted instanceof EvaluationError) return converted;
    entries.set(name, converted.json);
  }
  // Unlike assignments, entries keep a member with the name of a prototype.
  return { json: Object.fromEntries(entries) };
}
