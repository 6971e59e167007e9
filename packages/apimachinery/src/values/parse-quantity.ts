import { ParseError } from '../text/parse-error.js';
import { compareDecimals, type Decimal, decimalOf, decimalOfInteger, roundUpToScale } from './decimal.js';
import { interpretSuffix, type QuantityFormat, type QuantitySuffix } from './quantity-suffix.js';

/** A parsed quantity. */
export interface ParsedQuantity {
  readonly value: Decimal;
  readonly format: QuantityFormat;
  /** The text, if upstream would print the quantity as it was read instead of in canonical form. */
  readonly verbatim?: string;
  /** The power of ten of upstream's 64-bit form; undefined if upstream holds the quantity in a form of any size. */
  readonly int64Scale?: number;
}

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMBER_WRONG = 'unable to parse numeric part of quantity';
const SUFFIX_WRONG = "unable to parse quantity's suffix";

/** The finest step of a quantity, as a power of ten. */
const NANO = -9;
const MAX_BINARY = 2n ** 63n - 1n;
/** Whole parts with more digits always exceed MAX_BINARY. */
const MAX_BINARY_DIGITS = 19;
/** Number of decimals that decide the rounding of a quantity in binary steps, 2^60 at most. */
const MAX_BINARY_FRACTION = 100;
/** Maximum number of digits that certainly fit upstream's fast integer form. */
const MAX_FAST_DIGITS = 18;

/** The parts of a quantity's text, without leading zeros of the whole part. */
interface QuantityText {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

/**
 * Parses the text of a quantity. Throws a ParseError with upstream's text.
 *
 * Upstream: ParseQuantity in k8s.io/apimachinery/pkg/api/resource/quantity.go
 */
export function parseQuantityText(text: string): ParsedQuantity {
  const parts = splitQuantity(text);
  const meaning = interpretSuffix(parts.suffix);
  if (meaning === undefined) throw new ParseError(SUFFIX_WRONG);
  const parsed = parseNumber(text, parts, meaning);
  // Upstream takes a text without digits for zero, but only in its form of 64 bits.
  if (parsed.int64Scale === undefined && !/^[+-]?\.?[0-9]/.test(text)) throw new ParseError(NUMBER_WRONG);
  return parsed;
}

/**
 * Reports whether upstream holds two valid texts of one quantity in the same form: `8192Ki` and `8Mi`, but not `1000m`
 * and `1`.
 */
export function haveSameForm(text: string, canonical: string): boolean {
  if (text === canonical) return true;
  // Upstream remembers this text, and no other, of a zero.
  if (canonical === '0') return false;
  const [a, b] = [parseQuantityText(text), parseQuantityText(canonical)];
  if (a.verbatim !== b.verbatim || a.format !== b.format || a.int64Scale !== b.int64Scale) return false;
  return compareDecimals(a.value, b.value) === 0;
}

function parseNumber(
  text: string,
  { negative, whole, fraction }: QuantityText,
  { format, exponent }: QuantitySuffix,
): ParsedQuantity {
  if (format === 'BinarySI') return binaryQuantity({ negative, whole, fraction, exponent, text });
  const digits = whole + fraction;
  const scale = exponent - fraction.length;
  const value = decimalOf(negative, digits, scale);
  const fast = digits.length <= MAX_FAST_DIGITS && scale >= NANO;
  if (!fast) return { value: roundUpToScale(value, NANO), format };
  const canonical = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return { value, format, int64Scale: scale, ...(canonical ? { verbatim: text } : undefined) };
}

/**
 * Splits the text into sign, digits and suffix. Scans by index: on 3 MiB a pattern could exhaust V8's backtrack stack.
 */
function splitQuantity(text: string): QuantityText {
  const sign = /^[+-]?/.exec(text)?.[0] ?? '';
  const point = endOfDigits(text, sign.length);
  const end = text[point] === '.' ? endOfDigits(text, point + 1) : point;
  if (text === '' || !isSuffixText(text, end)) throw new ParseError(FORMAT_WRONG);
  const start = Math.min(endOf(text, sign.length, '0'), point);
  const whole = start === point ? '0' : text.slice(start, point);
  return { negative: sign === '-', whole, fraction: text.slice(point + 1, end), suffix: text.slice(end) };
}

/** Upstream's form of a suffix: letters, a sign, digits; interpretSuffix decides which are valid. */
function isSuffixText(text: string, from: number): boolean {
  const letters = endOf(text, from, 'eEinumkKMGTP');
  const sign = text[letters] === '-' || text[letters] === '+' ? letters + 1 : letters;
  return endOfDigits(text, sign) === text.length;
}

function endOfDigits(text: string, from: number): number {
  return endOf(text, from, '0123456789');
}

/** The index of the first character that is not in `characters`. */
function endOf(text: string, from: number, characters: string): number {
  let end = from;
  while (end < text.length && characters.includes(text.charAt(end))) end++;
  return end;
}

interface BinaryText {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: number;
  readonly text: string;
}

function binaryQuantity({ negative, whole, fraction, exponent, text }: BinaryText): ParsedQuantity {
  const precision = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1;
  const digits = binaryDigits(whole, fraction) * (negative ? -1n : 1n);
  if (fraction === '' && precision >= 0) {
    const verbatim = digits % 8n !== 0n ? { verbatim: text } : undefined;
    return { value: decimalOfInteger(digits << BigInt(exponent), 0), format: 'BinarySI', int64Scale: 0, ...verbatim };
  }
  const exact = decimalOfInteger(digits << BigInt(exponent), -Math.min(fraction.length, MAX_BINARY_FRACTION + 1));
  // Tiny amounts round away from zero: a small request still gets something.
  const value = capBinary(roundUpToScale(exact, NANO));
  return { value, format: isBelowOne(value) ? 'DecimalSI' : 'BinarySI' };
}

/** The significant digits as an integer: of those far after the point only whether there are any. */
function binaryDigits(whole: string, fraction: string): bigint {
  const bounded = whole.length > MAX_BINARY_DIGITS ? whole.slice(0, MAX_BINARY_DIGITS + 1) : whole;
  if (fraction.length <= MAX_BINARY_FRACTION) return BigInt(bounded + fraction);
  const rest = /[1-9]/.test(fraction.slice(MAX_BINARY_FRACTION)) ? '1' : '0';
  return BigInt(bounded + fraction.slice(0, MAX_BINARY_FRACTION) + rest);
}

function capBinary(value: Decimal): Decimal {
  const limit = decimalOfInteger(value.negative ? -MAX_BINARY : MAX_BINARY, 0);
  const isBeyond = compareDecimals(value, limit) === (value.negative ? -1 : 1);
  return isBeyond ? limit : value;
}

/** Reports whether it is a fraction of one, and not zero. */
function isBelowOne({ digits, scale }: Decimal): boolean {
  return digits !== '' && digits.length + scale <= 0;
}
