import { quote } from '../../text/quote.js';

/**
 * Texts of bytes: each character is a byte of UTF-8. Upstream's URLs are bytes, and percent signs write any byte.
 */
export function toByteText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The text of the bytes; U+FFFD for bytes that are no UTF-8. */
export function fromByteText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The bytes in double quotes, as messages have them: a byte that is no UTF-8 prints as `\xff`. */
export function quoteBytes(bytes: string): string {
  const text = fromByteText(bytes);
  if (toByteText(text) === bytes) return quote(text);
  // Only the end of a text that was cut may be no UTF-8.
  const whole = wellFormedLength(bytes);
  const rest = [...bytes.slice(whole)].map((byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `${quote(fromByteText(bytes.slice(0, whole))).slice(0, -1)}${rest.join('')}"`;
}

/** The length of the longest beginning that is UTF-8, at most three bytes shorter. */
function wellFormedLength(bytes: string): number {
  let length = bytes.length;
  while (length > 0 && toByteText(fromByteText(bytes.slice(0, length))) !== bytes.slice(0, length)) length--;
  return length;
}
