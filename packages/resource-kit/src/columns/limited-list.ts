/** A cell with the first few items of a list and the number of the others. Undefined counts as an empty list. */
export function limitedList(items: readonly string[], max: number): string | undefined {
  if (items.length === 0) return undefined;
  const shown = items.slice(0, max).join(',');
  return items.length > max ? `${shown} + ${items.length - max} more...` : shown;
}
