/** The first index of each string, for finding duplicates in lists of any length in linear time. */
export function firstIndexes(items: readonly string[]): ReadonlyMap<string, number> {
  return new Map(items.map((item, i) => [item, i] as const).reverse());
}
