/** A JSON object. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** True for an object of JSON; instances of classes are none. */
export function isJsonObject(value: unknown): value is JsonMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
