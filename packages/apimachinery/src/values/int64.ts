import { quote } from '../text/quote.js';
import { uintProblem } from '../text/uint-problem.js';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * A signed 64-bit integer from decimal text (optional sign, leading zeros allowed); undefined for other text and out of
 * range.
 *
 * Upstream: strconv.ParseInt(text, 10, 64)
 */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const digits = text.replace(/^[+-]?0*/, '');
  // Converting a number of millions of digits would take seconds.
  if (digits.length > 19) return undefined;
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  return value < INT64_MIN || value > INT64_MAX ? undefined : value;
}

/**
 * The error for a text that `parseInt64` does not read.
 *
 * Upstream: strconv.Atoi
 */
export function atoiFault(text: string): string {
  const problem = uintProblem(text.replace(/^[+-]/, '')) ?? 'value out of range';
  return `strconv.Atoi: parsing ${quote(text)}: ${problem}`;
}

/** One more than an int64, which overflows as in Go. Integers that a number cannot hold are bigint, as in decoded objects. */
export function increment(value: number | bigint = 0): number | bigint {
  if (typeof value === 'number' && value < Number.MAX_SAFE_INTEGER) return value + 1;
  return BigInt.asIntN(64, BigInt(value) + 1n);
}
