// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches all of ASCII.
const ASCII = /^[\x00-\x7f]*$/;

/** The text with the letters of ASCII in lower case. */
export function lowerAscii(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : withCase(text, 0x41, 0x20);
}

/** The text with the letters of ASCII in upper case. */
export function upperAscii(text: string): string {
  return ASCII.test(text) ? text.toUpperCase() : withCase(text, 0x61, -0x20);
}

/** Adds a number to the 26 letters from `first` on. */
function withCase(text: string, first: number, added: number): string {
  const units = Buffer.from(text, 'utf16le');
  for (let at = 0; at < units.length; at += 2) {
    const low = units[at] ?? 0;
    if (units[at + 1] === 0 && low >= first && low < first + 26) units[at] = low + added;
  }
  return units.toString('utf16le');
}
