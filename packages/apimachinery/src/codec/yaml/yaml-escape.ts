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

const LAST_SHORT = 0x2029;

const HEX = '0123456789ABCDEF';
const BACKSLASH = 0x5c;

/**
 * Writes the escape of a character between double quotes, up to ten bytes, and answers where it ends.
 *
 * Upstream: yaml_emitter_write_double_quoted in go.yaml.in/yaml/v2 emitterc.go
 */
export function writeEscape(bytes: Uint8Array, start: number, code: number): number {
  let at = start;
  bytes[at++] = BACKSLASH;
  const short = code <= LAST_SHORT ? SHORT.get(code) : undefined;
  if (short !== undefined) {
    bytes[at++] = short.charCodeAt(0);
    return at;
  }
  const digits = code <= 0xff ? 2 : code <= 0xffff ? 4 : 8;
  bytes[at++] = 'x u   U'.charCodeAt(digits - 2);
  for (let shift = 4 * (digits - 1); shift >= 0; shift -= 4) bytes[at++] = HEX.charCodeAt((code >>> shift) & 0xf);
  return at;
}
