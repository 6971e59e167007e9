/**
 * A Map of the same entries in the same order. `new Map(map)` uses an iterator, and allocates a pair for every entry.
 */
export function copyMap<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
  const copy = new Map<K, V>();
  map.forEach((value, key) => {
    copy.set(key, value);
  });
  return copy;
}
