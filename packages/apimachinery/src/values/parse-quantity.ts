import { ParseError } from '../text/parse-error.js';
import { compareDecimals, type Decimal, roundUpToScale } from './decimal.js';
import { interpretSuffix, type QuantityFormat } from './quantity-suffix.js';

/** What a quantity's text says. */
export interface ParsedQuantity {
  readonly value: Decimal;
  readonly format: QuantityFormat;
  /** The text, if upstream would write the quantity back as it was read rather than in canonical form. */
  readonly verbatim?: string;
}

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX_WRONG = "unable to parse quantity's suffix";

/** The finest step of a quantity, as a power of ten. */
const NANO = -9;
const MAX_BINARY: Decimal = { unscaled: 2n ** 63n - 1n, scale: 0 };
/** A number with at most so many digits fits upstream's fast integer form. */
const MAX_FAST_DIGITS = 18;

/** The parts of a quantity's text; leading zeros of the whole part are gone. */
interface QuantityText {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

/**
 * Reads the text of a quantity. Throws a ParseError with upstream's text.
 *
 * Upstream: ParseQuantity in k8s.io/apimachinery/pkg/api/resource/quantity.go
 */
export function parseQuantityText(text: string): ParsedQuantity {
  const { negative, whole, fraction, suffix } = splitQuantity(text);
  const meaning = interpretSuffix(suffix);
  if (meaning === undefined) throw new ParseError(SUFFIX_WRONG);
  const { format, exponent } = meaning;
  const digits = BigInt(whole + fraction) * (negative ? -1n : 1n);
  if (format === 'BinarySI') return binaryQuantity({ digits, whole, fraction, exponent, text });
  const value = { unscaled: digits, scale: exponent - fraction.length };
  const fast = whole.length + fraction.length <= MAX_FAST_DIGITS && value.scale >= NANO;
  if (!fast) return { value: roundToNano(value), format };
  const shifted = whole + fraction;
  const canonical = value.scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  return { value, format, ...(canonical ? { verbatim: text } : undefined) };
}

/** Splits off sign, leading zeros and suffix. In two steps, so that no text makes a pattern backtrack. */
function splitQuantity(text: string): QuantityText {
  const [, sign, digits = '', fraction = '', suffix = ''] = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)$/s.exec(text) ?? [];
  if (text === '' || !/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix)) throw new ParseError(FORMAT_WRONG);
  const whole = digits.replace(/^0+/, '');
  return { negative: sign === '-', whole: whole === '' ? '0' : whole, fraction, suffix };
}

interface BinaryText {
  readonly digits: bigint;
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: number;
  readonly text: string;
}

function binaryQuantity({ digits, whole, fraction, exponent, text }: BinaryText): ParsedQuantity {
  const precision = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1;
  if (fraction === '' && precision >= 0) {
    const verbatim = digits % 8n !== 0n ? { verbatim: text } : undefined;
    return { value: { unscaled: digits << BigInt(exponent), scale: 0 }, format: 'BinarySI', ...verbatim };
  }
  const exact = { unscaled: digits << BigInt(exponent), scale: -fraction.length };
  const value = capBinary(roundToNano(exact));
  return { value, format: isBelowOne(value) ? 'DecimalSI' : 'BinarySI' };
}

/** Too small is rounded away from zero: whoever asks for a little gets a little. */
function roundToNano(value: Decimal): Decimal {
  if (value.scale >= NANO) return value;
  const { unscaled, scale } = roundUpToScale(value, NANO);
  return { unscaled, scale };
}

function capBinary(value: Decimal): Decimal {
  if (compareDecimals(magnitudeOf(value), MAX_BINARY) <= 0) return value;
  return { unscaled: value.unscaled < 0n ? -MAX_BINARY.unscaled : MAX_BINARY.unscaled, scale: 0 };
}

function isBelowOne(value: Decimal): boolean {
  return value.unscaled !== 0n && compareDecimals(magnitudeOf(value), { unscaled: 1n, scale: 0 }) < 0;
}

function magnitudeOf({ unscaled, scale }: Decimal): Decimal {
  return { unscaled: unscaled < 0n ? -unscaled : unscaled, scale };
}
