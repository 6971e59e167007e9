import { ParseError } from '../text/parse-error.js';
import { quoteTime } from '../text/quote-time.js';

/** A moment: whole seconds since 1970 in UTC, and the nanoseconds after them. */
export interface TimeParts {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** The layout's rule for fractions of a second. */
export type FractionRule = 'optional' | 'six digits';

/** Any number of digits, or none. */
export const FRACTION_OPTIONAL: FractionRule = 'optional';
/** A point and exactly six digits. */
export const FRACTION_SIX_DIGITS: FractionRule = 'six digits';

/**
 * Parses an RFC 3339 time with the leniency and the errors of Go's time.Parse. One digit suffices for the hour, a comma
 * may precede the fraction, and the error names the first element that does not match. Throws a ParseError.
 *
 * Upstream: time.Parse
 */
export function parseTimeLayout(text: string, layout: string, fraction: FractionRule): TimeParts {
  const scanner = new TimeScanner(text, layout);
  const year = scanner.digits('2006', 4);
  scanner.literal('-');
  const month = scanner.inRange('01', 'month', 1, 12);
  scanner.literal('-');
  const day = scanner.digits('02', 2);
  scanner.literal('T');
  const hour = scanner.inRange('15', 'hour', 0, 23);
  scanner.literal(':');
  const minute = scanner.inRange('04', 'minute', 0, 59);
  scanner.literal(':');
  const second = scanner.inRange('05', 'second', 0, 59);
  const nanoseconds = fraction === FRACTION_OPTIONAL ? scanner.optionalFraction() : scanner.sixDigitFraction();
  const offset = scanner.offset();
  scanner.end();
  if (day < 1 || day > daysIn(year, month)) throw scanner.fail(': day out of range');
  return { seconds: utcSeconds(year, month, day) + hour * 3600 + minute * 60 + second - offset, nanoseconds };
}

function utcSeconds(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / 1000;
}

/** The days of a month; 1 is January. */
export function daysIn(year: number, month: number): number {
  const lastDay = new Date(0);
  lastDay.setUTCFullYear(year, month, 0);
  return lastDay.getUTCDate();
}

/** Reads a text from left to right, element by element of a layout. */
class TimeScanner {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  fail(message: string): ParseError {
    return new ParseError(`parsing time ${quoteTime(this.#text)}${message}`);
  }

  #cannotParse(rest: string, element: string): ParseError {
    const where = `cannot parse ${quoteTime(rest)} as ${quoteTime(element)}`;
    return this.fail(` as ${quoteTime(this.#layout)}: ${where}`);
  }

  literal(text: string): void {
    if (!this.#rest.startsWith(text)) throw this.#cannotParse(this.#rest, text);
    this.#rest = this.#rest.slice(text.length);
  }

  digits(element: string, count: number): number {
    const match = new RegExp(`^[0-9]{${count}}`).exec(this.#rest);
    if (match === null) throw this.#cannotParse(this.#rest, element);
    this.#rest = this.#rest.slice(count);
    return Number(match[0]);
  }

  inRange(element: string, name: string, low: number, high: number): number {
    const oneDigit = element === '15' && !/^[0-9]{2}/.test(this.#rest);
    const value = this.digits(element, oneDigit ? 1 : 2);
    if (value < low || value > high) throw this.fail(`: ${name} out of range`);
    return value;
  }

  optionalFraction(): number {
    const match = /^[.,]([0-9]+)/.exec(this.#rest);
    if (match === null) return 0;
    this.#rest = this.#rest.slice(match[0].length);
    return Number((match[1] ?? '').slice(0, 9).padEnd(9, '0'));
  }

  /** Upstream reads the digits as an integer, which may have a sign in place of the first one. */
  sixDigitFraction(): number {
    const match = /^[.,]([0-9]{6}|[+-][0-9]{5})/.exec(this.#rest);
    if (match === null) throw this.#cannotParse(this.#rest, '.000000');
    const micros = Number(match[1]);
    if (micros < 0) throw this.fail(': fractional second out of range');
    this.#rest = this.#rest.slice(7);
    return Math.abs(micros) * 1000;
  }

  /** Seconds east of UTC. */
  offset(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(this.#rest);
    if (match === null) throw this.#cannotParse(this.#rest, 'Z07:00');
    const [whole, sign, hours, minutes] = match;
    if (Number(hours) > 24) throw this.fail(': time zone offset hour out of range');
    if (Number(minutes) > 60) throw this.fail(': time zone offset minute out of range');
    this.#rest = this.#rest.slice(whole.length);
    return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  }

  end(): void {
    if (this.#rest !== '') throw this.fail(`: extra text: ${quoteTime(this.#rest)}`);
  }
}
