const ESCAPED = /[<>&\u2028\u2029]/;
const ESCAPES = ['<', '>', '&', '\u2028', '\u2029'].map(
  (character) => [character, `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`] as const,
);

/**
 * Escapes, in a JSON text, what Go's encoder escapes and JavaScript's does not. A client chooses how many of them there
 * are, and a call for each takes longer.
 * Upstream: HTMLEscape of encoding/json
 */
export function escapeHtml(json: string): string {
  if (!ESCAPED.test(json)) return json;
  return ESCAPES.reduce((text, [character, escaped]) => text.replaceAll(character, escaped), json);
}
