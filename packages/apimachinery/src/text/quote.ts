const BACKSLASH = 0x5c;

/** The letters of short escapes, by character; 0 for none. The backslash uses itself. */
const SHORT_ESCAPES = new Uint8Array(0x23);
for (const pair of ['\u0007a', '\bb', '\ff', '\nn', '\rr', '\tt', '\vv', '""']) {
  SHORT_ESCAPES[pair.charCodeAt(0)] = pair.charCodeAt(1);
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const PLAIN = /^[ !#-[\]-~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches all of ASCII.
const ASCII = /^[\u0000-\u007f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROL = /[\u0000-\u001f\u007f]/;
const ALL_PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;
const NEEDS_BACKSLASH = /["\\]/;

/**
 * Reports whether upstream prints the character unescaped: letters, marks, numbers, punctuation, symbols and the ASCII
 * space.
 */
export function isPrintable(character: string): boolean {
  // Nearly all are ASCII, which needs no compiled Unicode classes.
  if (character.length === 1 && character <= '~') return character >= ' ';
  return PRINTABLE.test(character);
}

/**
 * The text in double quotes, as in messages (`%q` of upstream's format strings): unprintable characters become escapes.
 * A lone surrogate prints as U+FFFD. Any character costs a few nanoseconds: many of these texts come from clients, and
 * are as long as a path.
 */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (ASCII.test(text)) return CONTROL.test(text) ? `"${escaped(text, asciiUnits)}"` : JSON.stringify(text);
  const wellFormed = text.toWellFormed();
  if (ALL_PRINTABLE.test(wellFormed) && !NEEDS_BACKSLASH.test(wellFormed)) return `"${wellFormed}"`;
  return `"${escaped(wellFormed, anyUnits)}"`;
}

/** A lone surrogate that is so much more than a byte stands for a byte that is no UTF-8. */
export const INVALID_BYTES = 0xdc00;

/** The same for text whose lone surrogates stand for bytes, which print as `\\xff`. */
export function quoteWithBytes(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  return `"${escaped(text, anyUnits)}"`;
}

/** Maximum code units of an escaped character. */
const MAX_ESCAPE_LENGTH = 10;

/** Buffer for code units: a string for each character would cost more. */
interface Units {
  readonly array: Uint8Array | Uint16Array;
  readonly bytes: Buffer;
  readonly encoding: 'latin1' | 'utf16le';
}

const asciiUnits = newUnits(new Uint8Array(4_096), 'latin1');
const anyUnits = newUnits(new Uint16Array(4_096), 'utf16le');

function newUnits(array: Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>, encoding: Units['encoding']): Units {
  return { array, bytes: Buffer.from(array.buffer), encoding };
}

function textOf({ array, bytes, encoding }: Units, length: number): string {
  return bytes.toString(encoding, 0, length * array.BYTES_PER_ELEMENT);
}

/** Escapes text whose lone surrogates stand for bytes. */
function escaped(text: string, units: Units): string {
  const { array } = units;
  const full = array.length - MAX_ESCAPE_LENGTH;
  let out = '';
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    if (length > full) {
      out += textOf(units, length);
      length = 0;
    }
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit < 0xdc00;
    const code = isPair ? (text.codePointAt(at) as number) : unit;
    if (!standsForItself(code)) length = writeEscape(array, length, code);
    else {
      array[length++] = unit;
      if (isPair) array[length++] = text.charCodeAt(at + 1);
    }
    if (isPair) at++;
  }
  return out + textOf(units, length);
}

function standsForItself(code: number): boolean {
  if (code < 0x7f) return code >= 0x20 && code !== 0x22 && code !== 0x5c;
  planes[code >>> 16] ??= new Uint8Array(0x10000);
  const plane = planes[code >>> 16] as Uint8Array;
  const at = code & 0xffff;
  if (plane[at] === 0) plane[at] = PRINTABLE.test(String.fromCodePoint(code)) ? IS_PRINTABLE : IS_UNPRINTABLE;
  return plane[at] === IS_PRINTABLE;
}

/** By plane: the class of each character; 0 until it is first needed. */
const planes: Uint8Array[] = [];
const IS_PRINTABLE = 1;
const IS_UNPRINTABLE = 2;

const HEX = '0123456789abcdef';

/** Writes an escape and returns its end. */
function writeEscape(units: Units['array'], start: number, code: number): number {
  let at = start;
  units[at++] = BACKSLASH;
  const short = code < SHORT_ESCAPES.length ? (SHORT_ESCAPES[code] as number) : code === BACKSLASH ? BACKSLASH : 0;
  if (short !== 0) {
    units[at++] = short;
    return at;
  }
  const isByte = code >= INVALID_BYTES && code <= INVALID_BYTES + 0xff;
  const digits = code <= 0x7f || isByte ? 2 : code <= 0xffff ? 4 : 8;
  units[at++] = 'x u   U'.charCodeAt(digits - 2);
  for (let shift = 4 * (digits - 1); shift >= 0; shift -= 4) units[at++] = HEX.charCodeAt((code >>> shift) & 0xf);
  return at;
}
