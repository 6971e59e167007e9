/** An exact decimal number: `unscaled` × 10^`scale`. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/**
 * The most zeros that aligning two numbers may write out. A text such as `1e999999999` is a valid quantity; adding 1 to
 * it would need a gigabyte of digits.
 */
const MAX_ALIGNMENT = 100_000;

/** 10^n for n ≥ 0. */
export function powerOfTen(n: number): bigint {
  return 10n ** BigInt(n);
}

/** The two numbers at the smaller of their scales. Throws a RangeError when their magnitudes are absurdly far apart. */
export function align(a: Decimal, b: Decimal): { readonly a: bigint; readonly b: bigint; readonly scale: number } {
  const scale = Math.min(a.scale, b.scale);
  const shift = Math.max(a.scale, b.scale) - scale;
  if (shift > MAX_ALIGNMENT)
    throw new RangeError(`quantities with exponents ${a.scale} and ${b.scale} are too far apart`);
  const factor = powerOfTen(shift);
  return a.scale > b.scale
    ? { a: a.unscaled * factor, b: b.unscaled, scale }
    : { a: a.unscaled, b: b.unscaled * factor, scale };
}

/** -1, 0 or 1. Signs and magnitudes decide first, so that huge exponents cost nothing. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const signA = signOf(a.unscaled);
  const signB = signOf(b.unscaled);
  if (signA !== signB) return signA < signB ? -1 : 1;
  if (signA === 0) return 0;
  const magnitudeA = magnitude(a);
  const magnitudeB = magnitude(b);
  if (magnitudeA !== magnitudeB) return magnitudeA > magnitudeB === signA > 0 ? 1 : -1;
  const aligned = align(a, b);
  return aligned.a < aligned.b ? -1 : aligned.a > aligned.b ? 1 : 0;
}

/** The sign of an integer. */
export function signOf(value: bigint): -1 | 0 | 1 {
  return value < 0n ? -1 : value > 0n ? 1 : 0;
}

/** The place of the first digit: 1 for 1 … 9, 2 for 10 … 99, 0 for 0.1 … 0.9. */
function magnitude({ unscaled, scale }: Decimal): number {
  return digitsOf(unscaled) + scale;
}

function digitsOf(value: bigint): number {
  return String(value < 0n ? -value : value).length;
}

/** The number at a scale of at least `scale`, rounded away from zero, and whether nothing was lost. */
export function roundUpToScale(value: Decimal, scale: number): Decimal & { readonly exact: boolean } {
  if (value.scale >= scale || value.unscaled === 0n) {
    return { unscaled: value.unscaled, scale: Math.max(value.scale, scale), exact: true };
  }
  const drop = scale - value.scale;
  const sign = value.unscaled < 0n ? -1n : 1n;
  // All digits go: the result is the smallest number of that scale, whatever the size of the exponent.
  if (drop > digitsOf(value.unscaled)) return { unscaled: sign, scale, exact: false };
  const divisor = powerOfTen(drop);
  const exact = value.unscaled % divisor === 0n;
  return { unscaled: value.unscaled / divisor + (exact ? 0n : sign), scale, exact };
}

/** The number without trailing zeros in `unscaled` beyond a scale that is a multiple of three. */
export function toEngineering({ unscaled, scale }: Decimal): Decimal {
  const digits = String(unscaled);
  const zeros = digits.length - digits.replace(/0+$/, '').length;
  const exponent = scale + zeros;
  const excess = ((exponent % 3) + 3) % 3;
  const kept = unscaled / powerOfTen(zeros);
  return { unscaled: kept * powerOfTen(excess), scale: exponent - excess };
}
