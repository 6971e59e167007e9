import { formatDuration } from '../time/duration.js';
import { formatTimestamp } from '../time/timestamp.js';
import { elementsOf } from '../values/lists.js';
import { MadeObject } from '../values/made-object.js';
import { Double, Uint } from '../values/number.js';
import { goTypeName } from '../values/runtime-type.js';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  type Value,
} from '../values/value.js';
import { DynList, DynMap } from '../views/dyn-view.js';

/** A JSON value, or the error of a value that has no JSON form. */
type Converted = { readonly json: unknown } | EvaluationError;

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
    if (name !== expected) {
      misplaced.push(
        `unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`,
      );
    }
    for (const [field, inner] of value.fields) collectMisplaced(inner, `${expected}.${field}`, misplaced);
  } else if (value instanceof ListValue && !(value instanceof DynList)) {
    for (const element of elementsOf(value)) collectMisplaced(element, expected, misplaced);
  } else if (value instanceof MapValue && !(value instanceof DynMap)) {
    for (const key of value.keys()) collectMisplaced(value.find(key) ?? null, expected, misplaced);
  }
}

/** JSON of a value for a patch. */
export function patchJson(value: Value): Converted {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return { json: value };
  if (typeof value === 'number' || typeof value === 'bigint') return { json: value };
  if (value instanceof Double) return { json: value.value };
  if (value instanceof Uint) return { json: value.value };
  if (value instanceof DynList || value instanceof DynMap) return { json: value.json };
  if (value instanceof ListValue) return listJson(value);
  if (value instanceof MapValue) return mapJson(value);
  if (value instanceof MadeObject) return membersJson(value.fields);
  if (value instanceof Uint8Array) return { json: Buffer.from(value).toString('base64') };
  if (value instanceof Timestamp) return { json: formatTimestamp(value) };
  if (value instanceof Duration) return { json: formatDuration(value) };
  if (value instanceof OptionalValue) return value.value === undefined ? { json: null } : patchJson(value.value);
  const name = value instanceof TypeValue ? 'type' : value.type.name;
  return new EvaluationError(`type conversion error from '${name}' to 'google.protobuf.Value'`);
}

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
  const members = new Map<string, Value>();
  for (const key of map.keys()) {
    if (typeof key !== 'string') return new EvaluationError(`map key is of type ${goTypeName(key)}, not string`);
    members.set(key, map.find(key) ?? null);
  }
  return membersJson(members);
}

function membersJson(members: ReadonlyMap<string, Value>): Converted {
  const entries: [string, unknown][] = [];
  for (const [name, value] of members) {
    const converted = patchJson(value);
    if (converted instanceof EvaluationError) return converted;
    entries.push([name, converted.json]);
  }
  // Unlike assignments, entries keep a member with the name of a prototype.
  return { json: Object.fromEntries(entries) };
}
