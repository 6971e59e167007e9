/**
 * A 64-bit signed integer: a number where that is exact (a safe integer), a bigint otherwise. One integer has one form,
 * so `===` compares two of them.
 */
export type Int = number | bigint;

/** Reports whether a value is of type int. */
export function isInt(value: unknown): value is Int {
  return typeof value === 'number' || typeof value === 'bigint';
}

export const MIN_INT = -(2n ** 63n);
export const MAX_INT = 2n ** 63n - 1n;
export const MAX_UINT = 2n ** 64n - 1n;

/** A value of type double. Plain numbers are of type int. */
export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A value of type uint. */
export class Uint {
  readonly value: Int;

  /** Takes an integer in range, in its one form. */
  constructor(value: Int) {
    this.value = value;
  }
}

/** The one form of an integer that is in range of int or uint. */
export function intOf(value: bigint): Int {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
