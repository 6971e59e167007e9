/**
 * A JSON value from the codecs. Integers that a double cannot hold (beyond ±(2^53−1)) are `bigint`; every other number
 * is a `number`. `undefined` never occurs inside.
 */
export type Json = null | boolean | number | bigint | string | JsonArray | JsonObject;

/** A JSON array. */
type JsonArray = Json[];

/** A JSON object. Keys are data, `__proto__` included: write unknown keys with `setOwn`. */
export interface JsonObject {
  [key: string]: Json;
}

/** `T` with every property and element readonly: for API objects in signatures that must not mutate them. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
