/** A JSON object. */
export type JsonMap = Readonly<Record<string, unknown>>;

const INHERITED: JsonMap = { ...Object.getOwnPropertyDescriptors(Object.prototype) };

/** The value of a key of an object; undefined if it has none. Objects of JSON inherit what they do not have. */
export function ownValue(json: JsonMap, key: string): unknown {
  const value = json[key];
  return value === undefined || !Object.hasOwn(INHERITED, key) || Object.hasOwn(json, key) ? value : undefined;
}

/** True for an object of JSON, false for an instance of a class. */
export function isJsonObject(value: unknown): value is JsonMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
