import { ParseError } from '../text/parse-error.js';

const ESCAPABLE = '\\,=';

/** Escapes backslashes, commas and equals signs of a value for a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/**
 * Unescapes a value of a field selector. Throws a ParseError with upstream's text for an unknown escape, and for an
 * unescaped comma or equals sign (which the text names by its number).
 *
 * Upstream: UnescapeValue in k8s.io/apimachinery/pkg/fields/selector.go
 */
export function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let escaping = false;
  for (const character of text) {
    if (escaping) {
      if (!ESCAPABLE.includes(character)) throw invalidEscape(`\\${character}`);
      value += character;
      escaping = false;
    } else if (character === '\\') {
      escaping = true;
    } else if (ESCAPABLE.includes(character)) {
      const code = character.codePointAt(0);
      throw new ParseError(`invalid field selector: unescaped character in value: ${code}`);
    } else {
      value += character;
    }
  }
  if (escaping) throw invalidEscape('\\');
  return value;
}

function invalidEscape(sequence: string): ParseError {
  return new ParseError(`invalid field selector: invalid escape sequence: ${sequence}`);
}
