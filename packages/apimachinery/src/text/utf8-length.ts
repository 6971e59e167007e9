/** The bytes of the well-formed UTF-8 sequence at `i`; 0 if none begins there. Upstream: DecodeRune of unicode/utf8 */
export function utf8Length(bytes: Uint8Array, i: number): number {
  const first = bytes[i] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const second = bytes[i + 1] ?? 0;
  // Overlong forms, surrogates and code points beyond U+10FFFF begin like this.
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  if (first < 0xe0) return 2;
  if (!isContinuation(bytes[i + 2])) return 0;
  if (first < 0xf0) return 3;
  return isContinuation(bytes[i + 3]) ? 4 : 0;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
