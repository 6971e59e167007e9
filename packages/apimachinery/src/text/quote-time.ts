/**
 * Quotes text like Go's time package: quotes and backslashes escaped, control characters and everything beyond ASCII
 * byte by byte as `\x..`.
 */
export function quoteTime(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  const escaped = text.replace(/["\\]|[\u0000-\u001f\u0080-\u{10ffff}]/gu, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : hexBytes(character),
  );
  return `"${escaped}"`;
}

function hexBytes(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
