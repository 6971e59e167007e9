import { formatDuration, parseDuration } from '../../values/duration.js';
import { canonicalQuantity as quantityOf } from '../../values/quantity.js';
import { parseMicroTime, parseTime } from '../../values/time.js';

/** A Time in its JSON form; null for the zero time. Throws ParseError. */
export function canonicalTime(text: string): string | null {
  return isPlainTime(text) ? text : parseTime(text);
}

/** A MicroTime in its JSON form; null for the zero time. Throws ParseError. */
export function canonicalMicroTime(text: string): string | null {
  return parseMicroTime(text);
}

/** A Duration in its JSON form. Throws ParseError. */
export function canonicalDuration(text: string): string {
  return formatDuration(parseDuration(text));
}

/** True for text that is certainly valid and canonical: `2026-01-28T01:02:03Z`, with a day that every month has. */
export function isPlainTime(text: string): boolean {
  return /^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/.test(text);
}

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
