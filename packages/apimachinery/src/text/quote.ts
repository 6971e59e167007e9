const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const PLAIN = /^[ !#-[\]-~]*$/;

/** Whether upstream prints the character as it is: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(character: string): boolean {
  // Nearly all are ASCII, for which the classes of Unicode need not be compiled.
  if (character.length === 1 && character <= '~') return character >= ' ';
  return PRINTABLE.test(character);
}

/**
 * The text in double quotes as messages carry names and values (the `%q` of upstream's format strings): unprintable
 * characters become escapes, everything else stays. A lone surrogate prints as U+FFFD.
 */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text.toWellFormed()) quoted += SHORT_ESCAPES.get(character) ?? printOrEscape(character);
  return `${quoted}"`;
}

function printOrEscape(character: string): string {
  if (isPrintable(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
