import { ParseError } from '../text/parse-error.js';
import { quoteTime } from '../text/quote-time.js';

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
const LIMIT = 2n ** 63n;
/** The longest duration in whole seconds, 292 years. Differences of times do not exceed it. */
export const MAX_DURATION_SECONDS = Number(LIMIT / NANOSECONDS_PER_SECOND);

/** Digits of the limit. */
const MAX_DIGITS = 19;

/**
 * A duration such as `1h30m`, `-1.5s` or `300ms`, in nanoseconds. Throws a ParseError with upstream's text.
 *
 * Upstream: time.ParseDuration
 */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith('-');
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw invalidDuration(text);
  let total = 0n;
  while (rest !== '') {
    const match = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest);
    const [number = '', whole = '', fraction = ''] = match ?? [];
    if (whole === '' && fraction === '') throw invalidDuration(text);
    if (isTooLong(whole)) throw invalidDuration(text);
    const unit = /^[^.0-9]*/.exec(rest.slice(number.length))?.[0] ?? '';
    total += nanoseconds(whole, fraction, unit, text);
    if (total > LIMIT) throw invalidDuration(text);
    rest = rest.slice(number.length + unit.length);
  }
  if (negative) return -total;
  if (total >= LIMIT) throw invalidDuration(text);
  return total;
}

/**
 * Milliseconds of a duration in seconds, which an API object has as int64. More than 292 years overflow as in Go.
 *
 * Upstream: time.Second * time.Duration(seconds)
 */
export function secondsInMilliseconds(seconds: number | bigint): number {
  if (seconds >= -MAX_DURATION_SECONDS && seconds <= MAX_DURATION_SECONDS) return Number(seconds) * 1000;
  const nanoseconds = BigInt.asIntN(64, BigInt(seconds) * NANOSECONDS_PER_SECOND);
  return Number(nanoseconds / NANOSECONDS_PER_MILLISECOND);
}

/**
 * Reports whether a number exceeds the longest duration in any unit. Upstream notices it before it reads the unit.
 * Millions of digits are never converted.
 */
function isTooLong(whole: string): boolean {
  const { length } = whole.replace(/^0+/, '');
  return length > MAX_DIGITS || (length === MAX_DIGITS && BigInt(whole) > LIMIT);
}

function nanoseconds(whole: string, fraction: string, unit: string, text: string): bigint {
  if (unit === '') throw new ParseError(`time: missing unit in duration ${quoteTime(text)}`);
  const scale = UNITS.get(unit);
  if (scale === undefined) {
    throw new ParseError(`time: unknown unit ${quoteTime(unit)} in duration ${quoteTime(text)}`);
  }
  return BigInt(whole || '0') * scale + fractionOf(fraction, scale);
}

/**
 * A decimal fraction of a unit, calculated with doubles as upstream does: `0.3333333333333333333h` is 20 minutes.
 * Digits from the first that would exceed 63 bits are ignored.
 */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let places = 0;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (LIMIT - 1n) / 10n || next > LIMIT) break;
    value = next;
    places++;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / 10 ** places)));
}

function invalidDuration(text: string): ParseError {
  return new ParseError(`time: invalid duration ${quoteTime(text)}`);
}

/**
 * The canonical text of a duration in nanoseconds: `1h30m0s`, `1.5s`, `300ms`, `0s`.
 *
 * Upstream: time.Duration.String
 */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return sign + (size < 1_000_000_000n ? subSecond(size) : hoursMinutesSeconds(size));
}

function subSecond(size: bigint): string {
  if (size < 1_000n) return `${size}ns`;
  return size < 1_000_000n ? `${decimal(size, 3)}µs` : `${decimal(size, 6)}ms`;
}

function hoursMinutesSeconds(size: bigint): string {
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value` divided by 10^places, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return digits.slice(0, -places) + (fraction && `.${fraction}`);
}
