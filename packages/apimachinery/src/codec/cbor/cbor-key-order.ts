import { compareKeys, sortKeys } from '../../json/compare-keys.js';

/** Number of keys from which they are sorted by length first, which needs no comparison. */
const MANY = 64;

/** Sorts keys by their encoded bytes; may sort in place. */
export function inOrderOfEncoding(keys: string[]): readonly string[] {
  if (keys.length < MANY) return keys.sort(byEncoding);
  const byLength: string[][] = [];
  for (const key of keys) {
    const length = Buffer.byteLength(key);
    const same = byLength[length];
    if (same === undefined) byLength[length] = [key];
    else same.push(key);
  }
  // A list with gaps is left out by its keys, which are in order.
  return Object.values(byLength).flatMap(sortKeys);
}

/** The order of the encoded keys: a longer one has a higher first byte. Upstream: RFC 8949, section 4.2.1 */
export function byEncoding(a: string, b: string): number {
  return Buffer.byteLength(a) - Buffer.byteLength(b) || compareKeys(a, b);
}
