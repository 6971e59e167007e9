/**
 * Makes a function that tells of each value whether an earlier call had it. Validation of long lists needs it: a search
 * in the list for each value takes seconds for the largest body.
 */
export function seenBefore<T>(): (value: T) => boolean {
  const seen = new Set<T>();
  return (value) => seen.size === seen.add(value).size;
}
