import { daysIn } from '@apiserver/apimachinery/values';
import { Timestamp } from '../values/value.js';

/** Characters of a date. */
const DATE = '2006-01-02'.length;

/** Characters of a time without a fraction and a zone. */
const WHOLE_TIME = '2006-01-02T15:04:05'.length;

/** Characters of an offset from UTC. */
const OFFSET = '+07:00'.length;

const MAX_FRACTION_DIGITS = 9;

/**
 * Reads a time such as `2006-01-02T15:04:05.25Z` or with an offset such as `+07:00`. Undefined for all other texts,
 * right or wrong: `parseTime` reads those, and is twenty times as slow.
 */
export function parseCommonTime(text: string): Timestamp | undefined {
  const day = secondsOfDay(text);
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  if (day === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  if (text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return undefined;
  const offset = text.endsWith('Z') ? 0 : offsetIn(text);
  if (offset === undefined) return undefined;
  const nanoseconds = fractionOf(text, text.length - (text.endsWith('Z') ? 1 : OFFSET));
  if (nanoseconds === undefined) return undefined;
  return new Timestamp(day + hour * 3600 + minute * 60 + second - offset, nanoseconds, offset);
}

/** Reads a date such as `2006-01-02`. Undefined for all other texts. */
export function parseCommonDate(text: string): Timestamp | undefined {
  const seconds = text.length === DATE ? secondsOfDay(text) : undefined;
  return seconds === undefined ? undefined : new Timestamp(seconds, 0);
}

/** Unix seconds of the date that a text begins with. */
function secondsOfDay(text: string): number | undefined {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  // Date.UTC takes smaller years for those of the last century.
  if (!(year >= 1000 && year <= 9999) || text[4] !== '-' || text[7] !== '-') return undefined;
  if (!(month >= 1 && month <= 12 && day >= 1) || (day > 28 && !(day <= daysIn(year, month)))) return undefined;
  return Date.UTC(year, month - 1, day) / 1000;
}

/** Seconds east of UTC at the end of a text. */
function offsetIn(text: string): number | undefined {
  const start = text.length - OFFSET;
  const sign = text[start];
  if (start < WHOLE_TIME || (sign !== '+' && sign !== '-') || text[start + 3] !== ':') return undefined;
  const [hours, minutes] = [twoDigits(text, start + 1), twoDigits(text, start + 4)];
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '-' ? -60 : 60) * (hours * 60 + minutes);
}

/** The nanoseconds of a fraction between the seconds and `end`. */
function fractionOf(text: string, end: number): number | undefined {
  const digits = end - WHOLE_TIME - 1;
  if (digits < 0) return end === WHOLE_TIME ? 0 : undefined;
  if (text[WHOLE_TIME] !== '.' || digits < 1 || digits > MAX_FRACTION_DIGITS) return undefined;
  let value = 0;
  for (let at = WHOLE_TIME + 1; at < end; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    value = value * 10 + digit;
  }
  return value * 10 ** (MAX_FRACTION_DIGITS - digits);
}

/** The number of two decimal digits; infinite for other characters. */
function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.POSITIVE_INFINITY;
}
