import { Buffer, isUtf8 } from 'node:buffer';
import { quote } from './quote.js';

/** The longest pieces that are UTF-8, and single bytes that are not. */
const PIECES =
  /(?:[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+|[\x80-\xff]/g;

/**
 * Bytes in double quotes, as in messages (`%q` of upstream's format strings): a byte that is no UTF-8 prints as `\xff`.
 * Each character of the text is a byte.
 */
export function quoteBytes(bytes: string): string {
  const whole = Buffer.from(bytes, 'latin1');
  if (isUtf8(whole)) return quote(whole.toString());
  const pieces = (bytes.match(PIECES) ?? []).map((piece) => {
    const text = Buffer.from(piece, 'latin1');
    return isUtf8(text) ? quote(text.toString()).slice(1, -1) : `\\x${text.toString('hex')}`;
  });
  return `"${pieces.join('')}"`;
}
