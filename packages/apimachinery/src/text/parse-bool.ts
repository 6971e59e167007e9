import { ParseError } from './parse-error.js';
import { quote } from './quote.js';

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/**
 * Parses a boolean. Throws a ParseError with Go's text for any other text; `tryParseBool` returns undefined instead.
 *
 * Upstream: strconv.ParseBool
 */
export function parseBool(text: string): boolean {
  const value = tryParseBool(text);
  if (value === undefined) throw new ParseError(`strconv.ParseBool: parsing ${quote(text)}: invalid syntax`);
  return value;
}

/** As `parseBool`, but returns undefined for a text that is no boolean. */
export function tryParseBool(text: string): boolean | undefined {
  return BOOLEANS.get(text);
}
