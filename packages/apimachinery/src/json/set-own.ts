/**
 * Sets an own property whatever its name. A plain assignment to `__proto__` would change the object's prototype
 * instead of storing the data a client sent. Every key that comes from outside goes through here.
 */
export function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The own property of that name, or undefined: what stands on Object.prototype is never data. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
