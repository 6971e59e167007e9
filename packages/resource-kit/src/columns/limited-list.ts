/** A cell that names the first few of a list and counts the rest. Undefined stands for an empty list. */
export function limitedList(items: readonly string[], max: number): string | undefined {
  if (items.length === 0) return undefined;
  const shown = items.slice(0, max).join(',');
  return items.length > max ? `${shown} + ${items.length - max} more...` : shown;
}
