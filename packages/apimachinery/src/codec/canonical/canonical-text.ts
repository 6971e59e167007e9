import { formatDuration, parseDuration } from '../../values/duration.js';
import { canonicalQuantity as quantityOf } from '../../values/quantity.js';
import { parseMicroTime, parseTime } from '../../values/time.js';

/** A Time in its JSON form; null for the zero time. Throws ParseError. */
export function canonicalTime(text: string): string | null {
  return isPlainTime(text) ? text : parseTime(text);
}

/** A MicroTime in its JSON form; null for the zero time. Throws ParseError. */
export function canonicalMicroTime(text: string): string | null {
  return PLAIN_MICRO_TIME.test(text) ? text : parseMicroTime(text);
}

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

/** True for text that is certainly valid and canonical: `100m`, `64Mi`. */
export function isPlainQuantity(text: string): boolean {
  return PLAIN_QUANTITY.test(text);
}

/** Mantissas below 1000 cannot take a larger suffix, so these are canonical. */
const PLAIN_QUANTITY = /^[1-9]\d{0,2}(?:m|k|M|G|Ki|Mi|Gi)?$/;
