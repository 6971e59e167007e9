import { Buffer } from 'node:buffer';
import { hexDigit } from './hex-digit.js';

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
const PERCENT = 0x25;

/**
 * Decodes percent escapes; undefined if one is malformed. Bytes that are not UTF-8 become U+FFFD. `encoding`: the
 * meaning of the text's own characters.
 * Upstream: PathUnescape of net/url
 */
export function percentDecoded(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string | undefined {
  if (!text.includes('%')) return text;
  if (BAD_ESCAPE.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodedBytes(Buffer.from(text, encoding));
  }
}

/** A loop over bytes, because replacing each escape takes 50 times as long, and any client can send escapes. */
function decodedBytes(bytes: Buffer): string {
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.readUInt8(at);
    if (byte !== PERCENT) bytes[end++] = byte;
    else {
      bytes[end++] = (hexDigit(bytes.readUInt8(at + 1)) << 4) | hexDigit(bytes.readUInt8(at + 2));
      at += 2;
    }
  }
  return bytes.toString('utf8', 0, end);
}
