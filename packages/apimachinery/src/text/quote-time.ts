import { Buffer } from 'node:buffer';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_X = 0x78;
const HEX = Buffer.from('0123456789abcdef');
/** Most bytes of an escaped one. */
const MAX_ESCAPE = 4;
/** UTF-16 units. An error shows a text twice, and a Status quotes it again. Upstream has no bound. */
const MAX_TEXT = 64 * 1_024;

/**
 * Quotes text like Go's time package: quotes and backslashes escaped, control characters and everything beyond ASCII
 * byte by byte as `\x..`. A text of more than 64 Ki characters is cut.
 */
export function quoteTime(text: string): string {
  const bytes = Buffer.from(text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}...`);
  const quoted = Buffer.allocUnsafe(MAX_ESCAPE * bytes.length + 2);
  let at = 0;
  quoted[at++] = QUOTE;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.readUInt8(i);
    if (byte === QUOTE || byte === BACKSLASH) quoted[at++] = BACKSLASH;
    if (byte >= 0x20 && byte < 0x80) {
      quoted[at++] = byte;
      continue;
    }
    quoted[at++] = BACKSLASH;
    quoted[at++] = LETTER_X;
    quoted[at++] = HEX.readUInt8(byte >> 4);
    quoted[at++] = HEX.readUInt8(byte & 15);
  }
  quoted[at++] = QUOTE;
  return quoted.toString('latin1', 0, at);
}
