import { ParseError } from '../../text/parse-error.js';
import { quoteTime } from '../../text/quote-time.js';
import { formatDuration, parseDuration } from '../../values/duration.js';
import { haveSameForm } from '../../values/parse-quantity.js';
import { canonicalQuantity as quantityOf } from '../../values/quantity.js';
import { parseMicroTime, parseTime } from '../../values/time.js';
import { YEAR_OUT_OF_RANGE } from '../time-parts.js';

/** A Time in its JSON form; null for the zero time. Throws ParseError, also for a year that this form cannot have. */
export function canonicalTime(text: string): string | null {
  return isPlainTime(text) ? text : readable(parseTime(text), text);
}

/** The same for a MicroTime. */
export function canonicalMicroTime(text: string): string | null {
  return PLAIN_MICRO_TIME.test(text) ? text : readable(parseMicroTime(text), text);
}

/**
 * An offset can leave the years 0 to 9999. Upstream accepts it, stores it in protobuf, and writes JSON that nobody
 * reads. Here it would make a stored object unreadable.
 */
function readable(canonical: string | null, text: string): string | null {
  if (canonical === null || FOUR_DIGITS.test(canonical)) return canonical;
  throw new ParseError(`parsing time ${quoteTime(text)}: ${YEAR_OUT_OF_RANGE}`);
}

/** The years that the JSON form of a time can have. */
const FOUR_DIGITS = /^\d{4}-/;

/** A Duration in its JSON form. Throws ParseError. */
export function canonicalDuration(text: string): string {
  return formatDuration(parseDuration(text));
}

/** True for text that is certainly valid and canonical: `2026-01-28T01:02:03Z`, but not the 29th of February. */
export function isPlainTime(text: string): boolean {
  return PLAIN_TIME.test(text);
}

/** Months and days of every year, with a hyphen between them. */
const PLAIN_DATE = String.raw`(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31`;
const PLAIN_SECOND = String.raw`[12]\d{3}-(?:${PLAIN_DATE})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d`;
const PLAIN_TIME = new RegExp(`^${PLAIN_SECOND}Z$`);
const PLAIN_MICRO_TIME = new RegExp(String.raw`^${PLAIN_SECOND}\.\d{6}Z$`);

/** A quantity in its JSON form, from JSON text or a bare number. Throws ParseError. */
export function canonicalQuantity(value: unknown): string {
  // String() of a list with one number would read like that number.
  const text = typeof value === 'object' ? '{}' : String(value);
  return isPlainQuantity(text) ? text : quantityOf(text.trim());
}

/** Reports whether Go reads a valid quantity to the same struct as its canonical form. */
export function isReadAs(value: unknown, canonical: string): boolean {
  return haveSameForm(String(value).trim(), canonical);
}

/** True for text that is certainly valid and canonical: `100m`, `64Mi`. */
export function isPlainQuantity(text: string): boolean {
  return PLAIN_QUANTITY.test(text);
}

/** Mantissas below 1000 cannot take a larger suffix, so these are canonical. */
const PLAIN_QUANTITY = /^[1-9]\d{0,2}(?:m|k|M|G|Ki|Mi|Gi)?$/;
