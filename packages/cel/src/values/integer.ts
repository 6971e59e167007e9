import { DIVISION_BY_ZERO, INTEGER_OVERFLOW, MODULUS_BY_ZERO, UNSIGNED_OVERFLOW } from './errors.js';
import { type Int, intOf, MAX_INT, MAX_UINT, MIN_INT } from './number.js';
import type { EvaluationError } from './value.js';

/** The range of int or uint, and its error. */
interface IntegerRange {
  readonly least: bigint;
  readonly most: bigint;
  readonly overflow: EvaluationError;
}

export const SIGNED: IntegerRange = { least: MIN_INT, most: MAX_INT, overflow: INTEGER_OVERFLOW };
export const UNSIGNED: IntegerRange = { least: 0n, most: MAX_UINT, overflow: UNSIGNED_OVERFLOW };

type IntegerResult = Int | EvaluationError;

/** An integer of a range in its one form, or the error of its overflow. */
export function inRange(value: bigint, range: IntegerRange): IntegerResult {
  return value < range.least || value > range.most ? range.overflow : intOf(value);
}

export function addIntegers(a: Int, b: Int, range: IntegerRange): IntegerResult {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return inRange(BigInt(a) + BigInt(b), range);
}

export function subtractIntegers(a: Int, b: Int, range: IntegerRange): IntegerResult {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference) && (difference >= 0 || range === SIGNED)) return difference;
  }
  return inRange(BigInt(a) - BigInt(b), range);
}

export function multiplyIntegers(a: Int, b: Int, range: IntegerRange): IntegerResult {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // No integer is -0.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return inRange(BigInt(a) * BigInt(b), range);
}

/** Divides towards zero. */
export function divideIntegers(a: Int, b: Int, range: IntegerRange): IntegerResult {
  if (b === 0) return DIVISION_BY_ZERO;
  // The quotient of two safe integers is never rounded up to the next integer.
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
  return inRange(BigInt(a) / BigInt(b), range);
}

/** The remainder has the sign of the dividend. */
export function moduloIntegers(a: Int, b: Int, range: IntegerRange): IntegerResult {
  if (b === 0) return MODULUS_BY_ZERO;
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
  if (b === -1 && BigInt(a) === range.least) return range.overflow;
  return inRange(BigInt(a) % BigInt(b), range);
}

export function negateInteger(a: Int): IntegerResult {
  return typeof a === 'number' ? 0 - a : inRange(-a, SIGNED);
}
