import { structureDiff } from './structure-diff.js';

/** Values of an object whose difference is printed. Printing 100,000 takes 0.2 s. */
const MAX_VALUES = 10_000;
/** UTF-16 units of its texts and keys. Printing and quoting a text of a megabyte takes 0.2 s. */
const MAX_TEXT = 512 * 1_024;

/**
 * `structureDiff` of printed forms, or a note if the objects are too large. Upstream prints them at any size.
 */
export function printableDifference<T>(before: T, after: T, print: (value: T) => unknown): string {
  return arePrintable(before, after) ? structureDiff(print(before), print(after)) : UNPRINTED_DIFFERENCE;
}

export const UNPRINTED_DIFFERENCE = '(the difference is too long to be printed)\n';

/** True if neither value is too large for printing its parts, each of them once. */
export function arePrintable(...values: readonly unknown[]): boolean {
  return !values.some((value) => exceeds(value, { values: MAX_VALUES, text: MAX_TEXT }));
}

/** Reports whether a value has more values or text in it than are left. */
function exceeds(value: unknown, left: { values: number; text: number }): boolean {
  if (typeof value === 'string') left.text -= value.length;
  if (--left.values < 0 || left.text < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => {
    left.text -= key.length;
    return exceeds(member, left);
  });
}
