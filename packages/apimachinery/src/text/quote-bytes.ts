import { Buffer, isUtf8 } from 'node:buffer';
import { quote } from './quote.js';

/** The longest pieces that are UTF-8, and single bytes that are not. */
const PIECES =
  /(?:[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+|[\x80-\xff]/g;

/** By the byte. */
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 0x80 }, (_, i) => [String.fromCharCode(0x80 + i), `\\x${(0x80 + i).toString(16)}`]),
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches all of ASCII.
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * Bytes in double quotes, as in messages (`%q` of upstream's format strings): a byte that is no UTF-8 prints as `\xff`.
 * Each character of the text is a byte.
 */
export function quoteBytes(bytes: string): string {
  const whole = Buffer.from(bytes, 'latin1');
  if (isUtf8(whole)) return quote(whole.toString());
  let quoted = '';
  for (const piece of bytes.match(PIECES) ?? []) quoted += ESCAPES.get(piece) ?? quote(decoded(piece)).slice(1, -1);
  return `"${quoted}"`;
}

/** Garbage is mostly short pieces, and a buffer for each would cost more than all else. */
function decoded(piece: string): string {
  return ASCII.test(piece) ? piece : Buffer.from(piece, 'latin1').toString();
}
