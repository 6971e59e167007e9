/** Length of `2026-01-28T01:02:03`. */
export const SECONDS_LENGTH = 19;

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const UPPER_T = 0x54;

/** Days of the months in a year that is no leap year. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Days before the months of a year that begins in March. */
const DAYS_FROM_MARCH = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];
/** Days from March of the year 0 to 1970. */
const DAYS_TO_1970 = 719_468;

/**
 * Seconds since 1970 of a text that begins with `2026-01-28T01:02:03`, by calendar arithmetic on its bytes. NaN for any
 * other text, for years before 1000 or after 2999, and for the 29th of February.
 */
export function plainSeconds(text: Uint8Array, start: number): number {
  const year = twoDigits(text, start) * 100 + twoDigits(text, start + 2);
  const month = twoDigits(text, start + 5);
  const day = twoDigits(text, start + 8);
  const hour = twoDigits(text, start + 11);
  const minute = twoDigits(text, start + 14);
  const second = twoDigits(text, start + 17);
  const isDate = year >= 1000 && year < 3000 && day >= 1 && day <= (DAYS[month - 1] ?? 0);
  const isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  if (!isDate || !isTime || !hasSeparators(text, start)) return Number.NaN;
  const yearFromMarch = month < 3 ? year - 1 : year;
  const leapDays = (yearFromMarch >> 2) - Math.trunc(yearFromMarch / 100) + Math.trunc(yearFromMarch / 400);
  const days = yearFromMarch * 365 + leapDays + (DAYS_FROM_MARCH[month - 1] ?? 0) + day - 1 - DAYS_TO_1970;
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

function hasSeparators(text: Uint8Array, start: number): boolean {
  return (
    text[start + 4] === DASH &&
    text[start + 7] === DASH &&
    text[start + 10] === UPPER_T &&
    text[start + 13] === COLON &&
    text[start + 16] === COLON
  );
}

/** A number that no sum of others makes valid. */
const NO_DIGITS = -100_000;

/** The number of two digits; `NO_DIGITS` for other characters. */
function twoDigits(text: Uint8Array, at: number): number {
  const tens = (text[at] ?? 0) - ZERO;
  const ones = (text[at + 1] ?? 0) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NO_DIGITS;
}
