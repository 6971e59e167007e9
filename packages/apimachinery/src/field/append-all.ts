/**
 * Appends values to a list of any length. `push(...more)` throws a RangeError for some hundred thousand values, and
 * clients control the number of errors.
 */
export function appendAll<T>(list: T[], more: readonly T[]): void {
  for (const one of more) list.push(one);
}
