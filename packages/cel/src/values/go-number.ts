import { type Int, intOf } from './number.js';

/** The exponents of numbers that Go's `%g` prints without one. */
const PLAIN_EXPONENTS = { least: -4, most: 5 };

/** A number as Go's `strconv.FormatFloat(x, 'f', -1, 64)` prints it: never with an exponent. */
export function formatPlain(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const { negative, digits, point } = decimalOf(value);
  const sign = negative ? '-' : '';
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`.replace(/\.$/, '');
  if (digits.length <= point) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** A number as Go's `%g` prints it. */
export function formatShortest(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const { negative, digits, point } = decimalOf(value);
  const exponent = point - 1;
  if (value === 0 || (exponent >= PLAIN_EXPONENTS.least && exponent <= PLAIN_EXPONENTS.most)) return formatPlain(value);
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${negative ? '-' : ''}${digits[0]}${rest}e${exponent < 0 ? '-' : '+'}${size}`;
}

function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '+Inf' : '-Inf';
}

/** The shortest digits of a number, and the place of its decimal point among them. */
function decimalOf(value: number): { readonly negative: boolean; readonly digits: string; readonly point: number } {
  const negative = value < 0 || Object.is(value, -0);
  if (value === 0) return { negative, digits: '0', point: 1 };
  const [mantissa = '', exponent = ''] = Math.abs(value).toExponential().split('e');
  return { negative, digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** Reads an integer in base 10 as Go does, without a range. */
export function parseInteger(text: string, signed: boolean): Int | undefined {
  const pattern = signed ? /^[+-]?[0-9]+$/ : /^[0-9]+$/;
  if (!pattern.test(text)) return undefined;
  const digits = text.replace(/^([+-]?)0+(?=[0-9])/, '$1');
  if (digits.length > LONGEST_INTEGER) return undefined;
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value + 0 : intOf(BigInt(digits.replace('+', '')));
}

/** Characters of the longest integer of 64 bits, with its sign. */
const LONGEST_INTEGER = 21;

const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const HEXADECIMAL = /^([+-]?)0[xX](?:([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?|\.([0-9a-fA-F]+))[pP]([+-]?[0-9]+)$/;
const INFINITY = /^([+-]?)inf(?:inity)?$/i;

/** Reads a floating-point number as Go's `strconv.ParseFloat` does; undefined for a wrong text or one out of range. */
export function parseFloating(written: string): number | undefined {
  const text = withoutUnderscores(written);
  if (DECIMAL.test(text)) return finite(Number(text));
  const infinity = INFINITY.exec(text);
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  const [matched, sign, whole = '', fraction = '', only = '', exponent = ''] = HEXADECIMAL.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const places = fraction + only;
  const mantissa = Number(BigInt(`0x${whole}${places}`));
  const value = mantissa * 2 ** (Number(exponent) - 4 * places.length);
  return finite(sign === '-' ? -value : value);
}

/** Underscores may part digits. */
function withoutUnderscores(text: string): string {
  return text.includes('_') ? text.replace(/(?<=[0-9a-fA-FxX])_(?=[0-9a-fA-F])/g, '') : text;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
