/** The last two characters of an alphabet of base64. */
export type Base64Alphabet = '+/' | '-_';

/**
 * Byte offset of the first fault in padded base64 text, where line breaks are allowed; undefined if there is none.
 *
 * Upstream: encoding/base64 CorruptInputError
 */
export function base64Fault(text: string, alphabet: Base64Alphabet = '+/'): number | undefined {
  const [plus, slash] = [alphabet.charCodeAt(0), alphabet.charCodeAt(1)];
  let significant = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x0a || c === 0x0d) continue;
    if (c === 0x3d) return paddingFault(text, i, significant % 4);
    if (!isLetterOrDigit(c) && c !== plus && c !== slash) return i;
    significant++;
  }
  // Go reports the start of the incomplete quantum, including the characters of it that it has read.
  return significant % 4 === 0 ? undefined : text.length - (significant % 4);
}

/** The text as the server writes it: without line breaks and stray bits. Undefined if it is not base64. */
export function canonicalBase64(text: string): string | undefined {
  return base64Fault(text) === undefined ? Buffer.from(text, 'base64').toString('base64') : undefined;
}

function paddingFault(text: string, at: number, digits: number): number | undefined {
  if (digits < 2) return at;
  let i = skipBreaks(text, at + 1);
  if (digits === 2) {
    if (i >= text.length) return text.length;
    if (text[i] !== '=') return i - 1;
    i = skipBreaks(text, i + 1);
  }
  return i < text.length ? i : undefined;
}

function skipBreaks(text: string, from: number): number {
  let i = from;
  while (text[i] === '\n' || text[i] === '\r') i++;
  return i;
}

function isLetterOrDigit(c: number): boolean {
  return (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39);
}
