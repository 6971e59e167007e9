import { ParseError } from '../text/parse-error.js';
import { FRACTION_OPTIONAL, FRACTION_SIX_DIGITS, parseTimeLayout, type TimeParts } from './time-layout.js';

/** The layout of a Time in upstream's messages: RFC 3339, seconds. */
const TIME_LAYOUT = '2006-01-02T15:04:05Z07:00';
/** The layout of a MicroTime: RFC 3339 with exactly six digits of fraction. */
const MICRO_TIME_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/**
 * A Time in its canonical form: UTC, whole seconds (a fraction is cut off). Null for the zero time
 * (`0001-01-01T00:00:00Z`), which upstream writes as null. Throws a ParseError with upstream's text.
 *
 * Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/time.go
 */
export function parseTime(text: string): string | null {
  const parts = parseRFC3339(text);
  return isZero(parts) ? null : `${secondsText(parts)}Z`;
}

/**
 * Seconds since 1970, and the nanoseconds of the second, of a text that Go's time.RFC3339 parses. Throws a ParseError
 * with upstream's text.
 */
export function parseRFC3339(text: string): TimeParts {
  return parseTimeLayout(text, TIME_LAYOUT, FRACTION_OPTIONAL);
}

/**
 * A MicroTime in its canonical form: UTC, six digits of fraction, null for the zero time. Throws a ParseError with
 * upstream's text; a time without exactly six digits is rejected.
 *
 * Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/micro_time.go
 */
export function parseMicroTime(text: string): string | null {
  const parts = parseTimeLayout(text, MICRO_TIME_LAYOUT, FRACTION_SIX_DIGITS);
  return isZero(parts) ? null : `${secondsText(parts)}.${microsText(parts.nanoseconds)}Z`;
}

/** The Time of a moment given in milliseconds since 1970; the fraction of a second is cut off. */
export function formatTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== lastFormatted.second) {
    lastFormatted = { second, text: `${new Date(milliseconds).toISOString().slice(0, 19)}Z` };
  }
  return lastFormatted.text;
}

/** Every write formats the current time, some thousand times a second. */
let lastFormatted = { second: Number.NaN, text: '' };

/** The MicroTime of a moment given in milliseconds since 1970; fractions of a millisecond are kept. */
export function formatMicroTime(milliseconds: number): string {
  const intoSecond = milliseconds - Math.floor(milliseconds / 1000) * 1000;
  const micros = Math.floor(intoSecond * 1000);
  return `${formatTime(milliseconds).slice(0, -1)}.${String(micros).padStart(6, '0')}Z`;
}

/** Milliseconds since 1970 of a Time or MicroTime in canonical form. Throws a ParseError for other text. */
export function timeMilliseconds(text: string): number {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw new ParseError(`parsing time "${text}"`);
  return milliseconds;
}

/** `0001-01-01T00:00:00Z` in seconds since 1970. */
const ZERO_SECONDS = -62_135_596_800;

function isZero({ seconds, nanoseconds }: TimeParts): boolean {
  return seconds === ZERO_SECONDS && nanoseconds === 0;
}

function secondsText({ seconds }: TimeParts): string {
  const iso = new Date(seconds * 1000).toISOString();
  if (!/^[+-]/.test(iso)) return iso.slice(0, 19);
  // An offset can leave the years 0 … 9999; JavaScript prints such years with a sign and six digits.
  const year = Number(iso.slice(0, 7));
  return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}${iso.slice(7, 22)}`;
}

function microsText(nanoseconds: number): string {
  return String(Math.floor(nanoseconds / 1000)).padStart(6, '0');
}
