import { isYamlText } from './yaml-text-kind.js';

/** Start of folding for text that is never folded. */
export const NO_FOLD = Number.MAX_SAFE_INTEGER;

const PLAIN = 0;
const BLANK = 1;
const HASH = 2;
const OTHER = 3;

/** The role of a character within plain text. A colon only matters before a blank or the end. */
const WITHIN = new Uint8Array(128).map((_, c) => {
  if (c === 0x20) return BLANK;
  if (c === 0x23) return HASH;
  return c > 0x20 && c < 0x7f ? PLAIN : OTHER;
});

/** Characters that may begin plain text, whatever follows, and those that may only begin a number. */
const ANY = 1;
const NUMBER = 2;
const BEGINS = new Uint8Array(128).map((_, c) => {
  const character = String.fromCharCode(c);
  if (/[\w/$();=\\^<~]/.test(character)) return ANY;
  return /[-+.]/.test(character) ? NUMBER : 0;
});

const QUOTE = 0x22;

/**
 * Writes ASCII text that is plain, or a quoted word or number, in one pass, and returns its end. Returns -1 for all
 * other text, and for text with a blank from `foldsFrom` on: ignore the written bytes then. The caller reserves room
 * for it and the quotes.
 */
export function writeSimpleText(bytes: Uint8Array, start: number, text: string, foldsFrom: number): number {
  const begins = text === '' ? ANY : BEGINS[text.charCodeAt(0)];
  if (begins !== ANY && begins !== NUMBER) return -1;
  if (text === '' || !isYamlText(text)) return text.length > foldsFrom ? -1 : writeQuoted(bytes, start, text);
  return begins === ANY ? writePlain(bytes, start, text, foldsFrom) : -1;
}

function writePlain(bytes: Uint8Array, start: number, text: string, foldsFrom: number): number {
  let at = start;
  let previous = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x7f) return -1;
    const what = WITHIN[c];
    if (what !== PLAIN) {
      if (what === OTHER) return -1;
      if (what === BLANK ? previous === 0x3a || i >= foldsFrom : previous === 0x20) return -1;
    }
    bytes[at++] = c;
    previous = c;
  }
  return previous === 0x20 || previous === 0x3a ? -1 : at;
}

/** Writes a quoted word, number or timestamp: none needs an escape. */
function writeQuoted(bytes: Uint8Array, start: number, text: string): number {
  let at = start;
  bytes[at++] = QUOTE;
  for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
  bytes[at++] = QUOTE;
  return at;
}
