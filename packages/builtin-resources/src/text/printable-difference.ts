import { structureDiff } from './structure-diff.js';

/** Values of an object whose difference is printed. Printing 100,000 takes 0.2 s. */
const MAX_VALUES = 10_000;

/**
 * `structureDiff` of printed forms, or a note if the objects are too large. Upstream prints them at any size.
 */
export function printableDifference<T>(before: T, after: T, print: (value: T) => unknown): string {
  if (exceeds(before, { values: MAX_VALUES }) || exceeds(after, { values: MAX_VALUES })) {
    return '(the difference is too long to be printed)\n';
  }
  return structureDiff(print(before), print(after));
}

/** Reports whether a value has more values in it than are left. */
function exceeds(value: unknown, left: { values: number }): boolean {
  if (--left.values < 0) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((member) => exceeds(member, left));
}
