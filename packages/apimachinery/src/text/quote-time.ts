/**
 * Text in double quotes as Go's time package prints it: quotes and backslashes escaped, control characters and
 * everything outside ASCII byte by byte as `\x..`.
 */
export function quoteTime(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const escaped = text.replace(/["\\]|[\u0000-\u001f\u0080-\u{10ffff}]/gu, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : hexBytes(character),
  );
  return `"${escaped}"`;
}

function hexBytes(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
