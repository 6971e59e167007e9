/**
 * Sets an own property of any name. A plain assignment to `__proto__` would change the object's prototype instead of
 * storing a client's data. Use it for every key from outside.
 */
export function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The own property of that name, or undefined: members of Object.prototype are never data. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
