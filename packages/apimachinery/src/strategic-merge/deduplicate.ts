import type { Json } from '../types/json.js';

/**
 * Removes duplicates. As in upstream's algorithm, the list's last value replaces a later duplicate. Upstream compares
 * all pairs; here each value knows its places.
 */
export function deduplicate(items: readonly Json[]): Json[] {
  const list = [...items];
  if (new Set(list).size === list.length) return list;
  const places = Map.groupBy(list.keys(), (i) => list[i] as Json);
  let length = list.length;
  for (let i = 0; i < length - 1; i++) {
    const value = list[i] as Json;
    const own = places.get(value) ?? [];
    // A place whose value has moved in the meantime holds another value now.
    const later = [...new Set(own)].filter((at) => at > i && at < length && list[at] === value).sort((a, b) => a - b);
    places.delete(value);
    while (later.length > 0 && (later.at(-1) as number) >= length) later.pop();
    for (let next = 0; next < later.length; ) {
      const at = later[next] as number;
      length--;
      if (length === at) break;
      const last = list[length] as Json;
      if (last === value) {
        later.pop();
        continue;
      }
      list[at] = last;
      places.get(last)?.push(at);
      next++;
    }
  }
  return list.slice(0, length);
}
