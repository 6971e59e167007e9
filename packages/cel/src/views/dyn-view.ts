import { Double, Uint } from '../values/number.js';
import { Duration, ListValue, MapValue, Timestamp, type Value } from '../values/value.js';
import { isJsonObject, type JsonMap, ownValue } from './json.js';
import { ViewContext } from './view-context.js';

/** The value of JSON without a schema: integers are int, other numbers are double. The JSON must not change. */
export function dynView(json: unknown): Value {
  return dynValue(json, new ViewContext());
}

/** A part of a view without a schema. */
export function dynValue(json: unknown, context: ViewContext): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return json;
    case 'number':
      return Number.isSafeInteger(json) ? json : new Double(json);
  }
  if (Array.isArray(json)) return new DynList(json, context);
  if (isJsonObject(json)) return new DynMap(json, context);
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
  readonly #context: ViewContext;

  constructor(json: readonly unknown[], context: ViewContext) {
    super();
    this.json = json;
    this.#context = context;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return dynValue(this.json[index], this.#context);
  }

  /** The same list as another value. */
  again(): DynList {
    return new DynList(this.json, this.#context);
  }
}

/** An object without a schema. */
export class DynMap extends MapValue {
  readonly json: JsonMap;
  readonly #context: ViewContext;

  constructor(json: JsonMap, context: ViewContext) {
    super();
    this.json = json;
    this.#context = context;
  }

  get size(): number {
    return this.#context.keysOf(this.json).length;
  }

  find(key: Value): Value | undefined {
    const json = typeof key === 'string' ? ownValue(this.json, key) : undefined;
    return json === undefined ? undefined : dynValue(json, this.#context);
  }

  keys(): Iterable<Value> {
    return this.#context.keysOf(this.json);
  }

  /** The same object as another value. */
  again(): DynMap {
    return new DynMap(this.json, this.#context);
  }
}
