/** The letters of escapes that have one. */
const SHORT: ReadonlyMap<number, string> = new Map([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

/** The same letters for single-byte characters; 0 for none. */
const LETTERS = new Uint8Array(256).map((_, code) => SHORT.get(code)?.charCodeAt(0) ?? 0);

const HEX = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));
const BACKSLASH = 0x5c;

/**
 * Writes the escape of a character in double quotes, up to ten bytes, and returns its end.
 *
 * Upstream: yaml_emitter_write_double_quoted in go.yaml.in/yaml/v2 emitterc.go
 */
export function writeEscape(bytes: Uint8Array, start: number, code: number): number {
  let at = start;
  bytes[at++] = BACKSLASH;
  const letter = code <= 0xff ? LETTERS[code] : SHORT.get(code)?.charCodeAt(0);
  if (letter) {
    bytes[at++] = letter;
    return at;
  }
  const digits = code <= 0xff ? 2 : code <= 0xffff ? 4 : 8;
  bytes[at++] = 'x u   U'.charCodeAt(digits - 2);
  for (let shift = 4 * (digits - 1); shift >= 0; shift -= 4) bytes[at++] = HEX[(code >>> shift) & 0xf] as number;
  return at;
}

/** True for a character that needs no escape between double quotes. */
export function isBare(c: number): boolean {
  if (c < 0x7f) return c >= 0x20 && c !== 0x22 && c !== 0x5c;
  return (
    (c >= 0xa0 && c <= 0xd7ff && c !== 0x2028 && c !== 0x2029) ||
    (c >= 0xe000 && c <= 0xfefe) ||
    (c >= 0xff00 && c <= 0xfffd)
  );
}

/** Writes a character of the basic plane in UTF-8 and returns its end. */
export function writeUtf8(bytes: Uint8Array, start: number, c: number): number {
  let at = start;
  if (c < 0x80) bytes[at++] = c;
  else if (c < 0x800) {
    bytes[at++] = 0xc0 | (c >> 6);
    bytes[at++] = 0x80 | (c & 0x3f);
  } else {
    bytes[at++] = 0xe0 | (c >> 12);
    bytes[at++] = 0x80 | ((c >> 6) & 0x3f);
    bytes[at++] = 0x80 | (c & 0x3f);
  }
  return at;
}
