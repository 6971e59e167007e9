import { Double, Uint } from '../values/number.js';
import { Duration, ListValue, MapValue, Timestamp, type Value } from '../values/value.js';
import { isJsonObject, type JsonMap } from './json.js';

/** The value of JSON without a schema: integers are int, other numbers are double. The JSON must not change. */
export function dynView(json: unknown): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return json;
    case 'number':
      return Number.isSafeInteger(json) ? json : new Double(json);
  }
  if (Array.isArray(json)) return new DynList(json);
  if (isJsonObject(json)) return new DynMap(json);
  return isScalarObject(json) ? json : null;
}

/** True for values that expressions have put among JSON. */
function isScalarObject(value: unknown): value is Timestamp | Duration | Uint | Uint8Array {
  return (
    value instanceof Timestamp || value instanceof Duration || value instanceof Uint || value instanceof Uint8Array
  );
}

/** An array without a schema. */
export class DynList extends ListValue {
  readonly json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    super();
    this.json = json;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return dynView(this.json[index]);
  }
}

/** An object without a schema. */
export class DynMap extends MapValue {
  readonly json: JsonMap;

  constructor(json: JsonMap) {
    super();
    this.json = json;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.json, key) ? dynView(this.json[key]) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.json);
  }
}
