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
