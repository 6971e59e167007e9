/**
 * A header value as Node sends it, which is one character for each byte of UTF-8. Node itself refuses or shortens
 * characters.
 */
export function headerBytes(text: string): string {
  return /[^\0-\x7f]/.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** A header value as Node has read it, as the text that was sent. */
export function headerText(bytes: string): string {
  return /[^\0-\x7f]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}
