import { InvalidValue, readResult } from '../values/invalid-value.js';
import { ConcatenatedList } from '../values/lists.js';
import { MadeObject } from '../values/made-object.js';
import { EvaluationError, ListValue, MapValue, OptionalValue, type Result, type Value } from '../values/value.js';
import { untypedValue } from '../views/untyped-value.js';
import { NativeList, NativeMap } from './native-collections.js';
import { isNative, keyFault, textKey } from './object-json.js';

/**
 * `Object{…}`. Where its type is known, a field is read from the map that upstream converts the object to. Elsewhere it
 * has no fields.
 *
 * Upstream: ObjectVal of k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go
 */
export class UntypedObject extends MadeObject {
  #fault: EvaluationError | null | undefined;

  override has(): boolean {
    return false;
  }

  override find(): undefined {}

  override hasDeclared(field: string): boolean {
    return this.#keyFault === null && this.fields.has(field);
  }

  override findDeclared(field: string): Result {
    if (this.#keyFault !== null) return new EvaluationError(`cannot get field "${field}"`);
    const value = this.fields.get(field);
    return value === undefined ? null : readResult(fieldValue(value));
  }

  override get unwrapped(): Value {
    const fault = this.#keyFault;
    return fault === null ? new NativeMap(this.fields, fieldValue) : new InvalidValue(fault);
  }

  /** Found once: a loop may read an object of many fields time and again. */
  get #keyFault(): EvaluationError | null {
    if (this.#fault === undefined) this.#fault = keyFault(this) ?? null;
    return this.#fault;
  }
}

/** Upstream: convertField */
function fieldValue(value: Value): Value {
  if (value instanceof OptionalValue) return value.value === undefined ? null : fieldValue(value.value);
  if (isNative(value) || value instanceof ConcatenatedList) return memberValue(value);
  if (value instanceof ListValue) return new NativeList(value, memberValue);
  return value instanceof MapValue ? nativeMap(value) : memberValue(value);
}

function memberValue(value: Value): Value {
  if (value instanceof OptionalValue) return value.value === undefined ? null : memberValue(value.value);
  return value instanceof ConcatenatedList ? new NativeList(value, memberValue) : untypedValue(value);
}

/** Native forms of maps. An expression may read the same large map time and again. */
const nativeMaps = new WeakMap<MapValue, NativeMap>();

function nativeMap(map: MapValue): NativeMap {
  let native = nativeMaps.get(map);
  if (native === undefined) {
    const members = Array.from(map.keys(), (key) => [textKey(key) ?? '', map.find(key) ?? null] as const);
    native = new NativeMap(new Map(members), memberValue);
    nativeMaps.set(map, native);
  }
  return native;
}
