const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/** The text in double quotes, with the escapes of the language. Other unprintable characters stand for themselves. */
export function quoteText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
  return `"${text.replace(/[\x07-\r"\\]/g, (character) => ESCAPES[character] ?? character)}"`;
}
