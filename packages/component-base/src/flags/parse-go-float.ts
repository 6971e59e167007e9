import { ParseError, quote } from '@apiserver/apimachinery/text';

const SPECIAL = /^(?:([+-]?)inf(?:inity)?|nan)$/i;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** The exponent is that of 2, and cannot be left out. */
const HEXADECIMAL = /^([+-]?)0x(?:([\da-f]+)(?:\.([\da-f]*))?|\.([\da-f]+))p([+-]?\d+)$/i;
/** An underscore stands between two digits, or between the prefix and a digit. */
const MISPLACED = /(?<!\d)_|_(?!\d)/;
const MISPLACED_IN_HEXADECIMAL = /(?<![\da-f]|0x)_|_(?![\da-f])/i;

/**
 * A number in any notation of Go: also hexadecimal, with underscores, infinite, or none at all. Throws a ParseError with
 * Go's text.
 * Upstream: strconv.ParseFloat
 */
export function parseGoFloat(text: string): number {
  const special = SPECIAL.exec(text);
  if (special !== null) return special[1] === undefined ? Number.NaN : special[1] === '-' ? -Infinity : Infinity;
  const misplaced = /0x/i.test(text) ? MISPLACED_IN_HEXADECIMAL : MISPLACED;
  const plain = misplaced.test(text) ? '' : text.replaceAll('_', '');
  const value = DECIMAL.test(plain) ? Number(plain) : hexadecimal(plain);
  if (value === undefined) throw new ParseError(`strconv.ParseFloat: parsing ${quote(text)}: invalid syntax`);
  if (!Number.isFinite(value)) throw new ParseError(`strconv.ParseFloat: parsing ${quote(text)}: value out of range`);
  return value;
}

function hexadecimal(text: string): number | undefined {
  const [, sign, whole = '', fraction = '', onlyFraction = fraction, exponent] = HEXADECIMAL.exec(text) ?? [];
  if (exponent === undefined) return undefined;
  const mantissa = Number(BigInt(`0x${whole}${onlyFraction}`));
  const power = Number(exponent) - 4 * onlyFraction.length;
  const half = Math.trunc(power / 2);
  // The power alone may be no number of JavaScript, where the product is.
  const value = mantissa === 0 ? 0 : mantissa * 2 ** half * 2 ** (power - half);
  return sign === '-' ? -value : value;
}
