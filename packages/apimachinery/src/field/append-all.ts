/**
 * Appends to a list, however long the rest is. `push(...more)` throws a RangeError for some hundred thousand values,
 * and clients decide how many faults an object has.
 */
export function appendAll<T>(list: T[], more: readonly T[]): void {
  for (const one of more) list.push(one);
}
