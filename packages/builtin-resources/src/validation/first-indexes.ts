/** Where each of the texts stands first, so that asking whether one stood before is cheap in lists of any length. */
export function firstIndexes(items: readonly string[]): ReadonlyMap<string, number> {
  return new Map(items.map((item, i) => [item, i] as const).reverse());
}
