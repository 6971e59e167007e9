/**
 * Counts the work that costs leave out: upstream compares values of any depth for the cost of their first level. One
 * unit is about the comparison of two numbers.
 */
export interface Work {
  /** Throws a signal, which ends the evaluation, if there has been too much work. */
  spend(units: number): void;
}

/** Characters or bytes whose comparison takes one unit. */
const CHARACTERS_PER_UNIT = 32;

/** Work of comparing a list, besides that of its elements. */
export const WORK_OF_LIST = 5;

/** The work of passing a text or bytes of a length. */
export function workOfLength(length: number): number {
  return Math.floor(length / CHARACTERS_PER_UNIT);
}
