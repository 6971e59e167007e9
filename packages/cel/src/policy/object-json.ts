import { quote } from '@apiserver/apimachinery/text';
import { ConcatenatedList, elementsOf } from '../values/lists.js';
import { MadeObject } from '../values/made-object.js';
import { Double, Uint } from '../values/number.js';
import { goTypeName } from '../values/runtime-type.js';
import { EvaluationError, ListValue, MapValue, OptionalValue, TypeValue, type Value } from '../values/value.js';
import { DynList, DynMap } from '../views/dyn-view.js';
import { isJsonObject } from '../views/json.js';
import { type Converted, finite } from './converted.js';
import { NativeList, NativeMap } from './native-collections.js';
import { nativeTypeName, PATCH_TYPE } from './native-type.js';

/**
 * JSON of an object that an expression makes, for a patch. It may hold less than a map may: integers are rounded to
 * doubles, and a list holds no list or map that the expression writes as a literal.
 *
 * Upstream: ObjectVal.ConvertToNative of k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go; structpb.NewValue
 */
export function objectJson(object: MadeObject): Converted {
  const fault = keyFault(object);
  if (fault !== undefined) return fault;
  return entriesJson([...object.fields].map(([name, value]) => [name, fieldJson(value)]));
}

function fieldJson(value: Value): Converted {
  if (value instanceof OptionalValue) return value.value === undefined ? { json: null } : fieldJson(value.value);
  if (isNative(value)) return nativeJson(value);
  if (value instanceof ListValue) return elementsJson(value);
  if (value instanceof MapValue) {
    return entriesJson(Array.from(value.keys(), (key) => [String(textKey(key)), nativeJson(value.find(key) ?? null)]));
  }
  return nativeJson(value);
}

/** JSON of a value that Go holds by itself, such as the element of a list. */
function nativeJson(value: Value): Converted {
  if (typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') return { json: value };
  if (typeof value === 'bigint') return { json: Number(value) };
  if (value instanceof Double) return finite(value.value);
  if (value instanceof Uint) return { json: Number(value.value) };
  if (value instanceof TypeValue) return { json: value.type.name };
  if (value instanceof Uint8Array) return { json: Buffer.from(value).toString('base64') };
  if (value instanceof OptionalValue) return value.value === undefined ? { json: null } : nativeJson(value.value);
  if (value instanceof DynList || value instanceof DynMap) return { json: withDoubles(value.json) };
  if (value instanceof ConcatenatedList || value instanceof NativeList) return elementsJson(value);
  if (value instanceof NativeMap) return entriesJson(value.entries.map(([name, member]) => [name, nativeJson(member)]));
  if (value instanceof MadeObject && value.type.name !== PATCH_TYPE) {
    return keyFault(value) === undefined ? objectJson(value) : invalidType('*types.Err');
  }
  return invalidType(nativeTypeName(value));
}

/** Reports whether Go holds the value as plain JSON or as texts. */
export function isNative(value: Value): boolean {
  if (value instanceof NativeList || value instanceof NativeMap) return true;
  return value instanceof DynList || value instanceof DynMap || (value instanceof ListValue && value.holdsTexts);
}

function invalidType(goType: string): EvaluationError {
  return new EvaluationError(`proto: invalid type: ${goType}`);
}

function elementsJson(list: ListValue): Converted {
  const json: unknown[] = [];
  for (const element of elementsOf(list)) {
    const converted = nativeJson(element);
    if (converted instanceof EvaluationError) return converted;
    json.push(converted.json);
  }
  return { json };
}

function entriesJson(members: readonly (readonly [string, Converted])[]): Converted {
  const entries: [string, unknown][] = [];
  for (const [name, converted] of members) {
    if (converted instanceof EvaluationError) return converted;
    entries.push([name, converted.json]);
  }
  // Unlike assignments, entries keep a member with the name of a prototype.
  return { json: Object.fromEntries(entries) };
}

/** The error of a field that is a map with a key that is no text. */
export function keyFault({ fields }: MadeObject): EvaluationError | undefined {
  for (const [field, value] of fields) {
    const map = withoutOptional(value);
    if (!(map instanceof MapValue) || isNative(map)) continue;
    const fault = mapFault(map);
    if (fault !== undefined) return new EvaluationError(`fail to convert field ${quote(field)}: ${fault}`);
  }
  return undefined;
}

/** The faults of maps. An expression may make any number of objects out of a large map. */
const mapFaults = new WeakMap<MapValue, { readonly fault: string | undefined }>();

function mapFault(map: MapValue): string | undefined {
  let known = mapFaults.get(map);
  if (known === undefined) {
    known = { fault: newMapFault(map) };
    mapFaults.set(map, known);
  }
  return known.fault;
}

function newMapFault(map: MapValue): string | undefined {
  for (const key of map.keys()) {
    if (textKey(key) === undefined) return `map key ${quoteKey(key)} is of type ${goTypeName(key)}, not string`;
  }
  return undefined;
}

function withoutOptional(value: Value): Value {
  return value instanceof OptionalValue && value.value !== undefined ? withoutOptional(value.value) : value;
}

/** The text of a key; undefined if Go holds no text for it. */
export function textKey(key: Value): string | undefined {
  const bare = withoutOptional(key);
  if (bare instanceof TypeValue) return bare.type.name;
  return typeof bare === 'string' ? bare : undefined;
}

const MAX_RUNE = 0x10ffff;

/** A key as Go prints it by `%q`. */
function quoteKey(key: Value): string {
  if (key === null || typeof key === 'number' || typeof key === 'bigint') return quoteRune(Number(key));
  if (key instanceof Uint) return quoteRune(Number(key.value));
  const text = key instanceof Double ? String(key.value) : String(key);
  return `%!q(${goTypeName(key)}=${text})`;
}

function quoteRune(code: number): string {
  const isRune = code >= 0 && code <= MAX_RUNE && !(code >= 0xd800 && code <= 0xdfff);
  const text = isRune ? String.fromCodePoint(code) : '\ufffd';
  if (text === "'") return "'\\''";
  return text === '"' ? `'"'` : `'${quote(text).slice(1, -1)}'`;
}

/** JSON whose integers are rounded to doubles. */
function withDoubles(json: unknown): unknown {
  if (typeof json === 'bigint') return Number(json);
  if (Array.isArray(json)) return json.map(withDoubles);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, withDoubles(value)]));
}
