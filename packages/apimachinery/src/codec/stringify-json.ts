import { compareKeys } from './compare-keys.js';

/**
 * A plain JSON value as upstream writes maps: keys sorted, `<`, `>`, `&`, U+2028 and U+2029 escaped, bigint as integers,
 * no spaces. Lone surrogates become U+FFFD.
 *
 * Upstream: encoding/json of a map[string]any
 */
export function stringifyJson(value: unknown): string {
  return escapeHtml(writeValue(value));
}

const HTML = /[<>&\u2028\u2029]/g;

/** Go's escapes of what HTML and JavaScript would misread, applied to finished JSON text. */
export function escapeHtml(text: string): string {
  return text.replace(HTML, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One JSON value without HTML escapes. */
export function writeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeValue).join(',')}]`;
  if (typeof value === 'object' && value !== null) return writeMembers(value as { [key: string]: unknown });
  return writeScalar(value);
}

function writeMembers(object: { [key: string]: unknown }): string {
  const keys = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort(compareKeys);
  return `{${keys.map((key) => `${writeScalar(key)}:${writeValue(object[key])}`).join(',')}}`;
}

/** A scalar, or undefined as null. */
export function writeScalar(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.isWellFormed() ? value : value.toWellFormed());
  if (typeof value === 'bigint') return value.toString();
  return JSON.stringify(value ?? null);
}
