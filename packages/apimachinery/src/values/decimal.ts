/**
 * An exact decimal number: `digits` × 10^`scale`, negative or not. Made by `decimalOf`.
 *
 * Its digits are text. Most quantities are read and written back, and neither needs an integer: text becomes a BigInt and
 * a BigInt becomes text in more than linear time, which a client could make others wait for with a body full of digits.
 */
export interface Decimal {
  readonly negative: boolean;
  /** With no zero at either end; empty for zero. */
  readonly digits: string;
  /** 0 for zero. */
  readonly scale: number;
}

const ZERO: Decimal = { negative: false, digits: '', scale: 0 };

/**
 * The most zeros that writing out a number may add. A text such as `1e999999999` is a valid quantity; adding 1 to it would
 * need a gigabyte of digits.
 */
const MAX_ZEROS = 100_000;

/** The number `text` × 10^`scale`; `text` is digits alone. */
export function decimalOf(negative: boolean, text: string, scale: number): Decimal {
  let begin = 0;
  let end = text.length;
  while (begin < end && text.charCodeAt(begin) === 48) begin++;
  while (end > begin && text.charCodeAt(end - 1) === 48) end--;
  if (begin === end) return ZERO;
  return { negative, digits: text.slice(begin, end), scale: scale + text.length - end };
}

/** The number `value` × 10^`scale`. */
export function decimalOfInteger(value: bigint, scale: number): Decimal {
  const text = String(value);
  return value < 0n ? decimalOf(true, text.slice(1), scale) : decimalOf(false, text, scale);
}

/**
 * How many steps of 10^`scale` the number is; `scale` must not be larger than its own. Throws a RangeError when that has
 * absurdly many digits.
 */
export function integerAt(value: Decimal, scale: number): bigint {
  if (value.digits === '') return 0n;
  const zeros = value.scale - scale;
  if (zeros > MAX_ZEROS)
    throw new RangeError(`quantities with exponents ${value.scale} and ${scale} are too far apart`);
  const magnitude = BigInt(value.digits + '0'.repeat(zeros));
  return value.negative ? -magnitude : magnitude;
}

/** The scale at which both numbers are integers. */
export function commonScale(a: Decimal, b: Decimal): number {
  if (a.digits === '') return b.scale;
  return b.digits === '' ? a.scale : Math.min(a.scale, b.scale);
}

/** -1, 0 or 1. Signs and magnitudes decide first; what is left of equally large numbers compares as text. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const sign = signOf(a);
  if (sign !== signOf(b)) return sign < signOf(b) ? -1 : 1;
  const [first, second] = a.negative ? [b, a] : [a, b];
  const magnitude = first.digits.length + first.scale;
  const other = second.digits.length + second.scale;
  if (magnitude !== other) return magnitude < other ? -1 : 1;
  if (first.digits === second.digits) return 0;
  return first.digits < second.digits ? -1 : 1;
}

/** The sign of a number. */
export function signOf({ digits, negative }: Decimal): -1 | 0 | 1 {
  if (digits === '') return 0;
  return negative ? -1 : 1;
}

/** The number in whole steps of 10^`scale`, rounded away from zero. */
export function roundUpToScale(value: Decimal, scale: number): Decimal {
  if (value.scale >= scale || value.digits === '') return value;
  const kept = Math.max(0, value.digits.length - (scale - value.scale));
  // The last digit is none of those kept and not zero, so there is always something to round up for.
  let place = kept - 1;
  while (place >= 0 && value.digits.charCodeAt(place) === 57) place--;
  const digits = place < 0 ? '1' : value.digits.slice(0, place) + (Number(value.digits[place]) + 1);
  return { negative: value.negative, digits, scale: scale + kept - 1 - place };
}

/** What is written before the suffix of a power of ten that is a multiple of three, and that power. */
export function toEngineering({ negative, digits, scale }: Decimal): {
  readonly text: string;
  readonly exponent: number;
} {
  const excess = ((scale % 3) + 3) % 3;
  return { text: `${negative ? '-' : ''}${digits}${'0'.repeat(excess)}`, exponent: scale - excess };
}
