import { timeMilliseconds } from '../values/time.js';

/** `0000-01-01T00:00:00Z` in seconds since 1970. */
const FIRST_SECOND = -62_167_219_200;
/** `9999-12-31T23:59:59Z` in seconds since 1970. */
const LAST_SECOND = 253_402_300_799;

/** Upstream: time.Time.MarshalText */
export const YEAR_OUT_OF_RANGE = 'year outside of range [0,9999]';

/** Reports whether a time, in seconds since 1970, has a year of four digits. Others have no JSON form that can be read. */
export function hasFourDigitYear(seconds: number): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
}

/** The nearest second whose year has four digits. */
export function nearestTime(seconds: number): number {
  return Math.min(Math.max(seconds, FIRST_SECOND), LAST_SECOND);
}

/** A canonical Time or MicroTime as protobuf's Timestamp. */
export function timeParts(text: string): { readonly seconds: number; readonly nanos: number } {
  const dot = text.indexOf('.');
  const seconds = Math.floor(timeMilliseconds(text) / 1000);
  return { seconds, nanos: dot === -1 ? 0 : Number(text.slice(dot + 1, -1).padEnd(9, '0')) };
}

/** The canonical Time of a Timestamp; fractions of a second are cut off. */
export function timeFromParts(seconds: number): string {
  return `${secondsText(seconds)}Z`;
}

/** The canonical MicroTime of a Timestamp; fractions of a microsecond are cut off. */
export function microTimeFromParts(seconds: number, nanos: number): string {
  return `${secondsText(seconds)}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z`;
}

/** `2026-01-20T10:11:12`, by calendar arithmetic: a Date and its text cost ten times as much. */
function secondsText(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const time = seconds - days * 86_400;
  const { year, month, day } = civilDate(days);
  const clock = `${two(Math.floor(time / 3600))}:${two(Math.floor(time / 60) % 60)}:${two(time % 60)}`;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${clock}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** The Gregorian date a number of days after 1970-01-01. Years count from March, so that leap days come last. */
function civilDate(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const sinceEra = days + 719_468;
  const era = Math.floor(sinceEra / 146_097);
  const dayOfEra = sinceEra - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
}
