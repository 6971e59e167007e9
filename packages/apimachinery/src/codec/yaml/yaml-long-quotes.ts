import { hexDigit } from '../../text/hex-digit.js';
import { isBare, writeEscape } from './yaml-escape.js';

/** Characters that the writer of JSON leaves unescaped, or escapes differently. */
const REST = /[\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|\\u/;

/** Text as JSON without its quotes, and whether YAML has the same text in double quotes. */
export function escapeByJson(text: string): { readonly escaped: string; readonly isYaml: boolean } {
  // JavaScript's writer makes most escapes; they dominate the cost of JSON inside YAML.
  const escaped = JSON.stringify(text).slice(1, -1);
  return { escaped, isYaml: !REST.test(escaped) };
}

/** Maximum number of bytes that `translateEscapes` needs: only DEL grows, from one byte to four. */
export function roomForEscapes(escaped: string, bytes: number): number {
  return Math.ceil((escaped.includes('\u007f') ? 4 : 2.5) * bytes);
}

/**
 * Translates JSON escapes to YAML escapes while writing, and returns the end. The caller reserves room for the result.
 */
export function translateEscapes(source: Uint8Array, bytes: Uint8Array, start: number): number {
  let at = start;
  for (let i = 0; i < source.length; i++) {
    const b = source[i] as number;
    if (b < 0x7f) {
      bytes[at++] = b;
      if (b !== 0x5c) continue;
      const letter = source[++i] as number;
      if (letter !== 0x75) bytes[at++] = letter;
      else {
        at = writeEscape(bytes, at - 1, hexAt(source, i + 1));
        i += 4;
      }
    } else {
      const size = b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
      const code = codeAt(source, i, size);
      if (size === 4 || !isBare(code)) at = writeEscape(bytes, at, code);
      else for (let k = i; k < i + size; k++) bytes[at++] = source[k] as number;
      i += size - 1;
    }
  }
  return at;
}

/** The code point of a UTF-8 sequence. */
function codeAt(source: Uint8Array, start: number, size: number): number {
  let code = (source[start] as number) & (size === 1 ? 0x7f : 0xff >> (size + 1));
  for (let i = start + 1; i < start + size; i++) code = (code << 6) | ((source[i] as number) & 0x3f);
  return code;
}

/** The number of four hexadecimal digits. */
function hexAt(source: Uint8Array, at: number): number {
  const low = (hexDigit(source[at + 2] as number) << 4) | hexDigit(source[at + 3] as number);
  // Nearly all characters with such an escape are control characters.
  if (source[at] === 0x30) return low;
  return (hexDigit(source[at] as number) << 12) | (hexDigit(source[at + 1] as number) << 8) | low;
}

const APOSTROPHE = 0x27;

/** Number of bytes that are copied in a loop between two searches. */
const FAR = 256;

/** Writes text with each apostrophe doubled, and returns the end. The caller reserves room for twice the text. */
export function doubleApostrophes(source: Buffer, bytes: Uint8Array, start: number): number {
  let at = start;
  for (let i = 0; i < source.length; ) {
    for (const loopsTo = Math.min(source.length, i + FAR); i < loopsTo; ) {
      const b = source[i++] as number;
      bytes[at++] = b;
      if (b === APOSTROPHE) bytes[at++] = b;
    }
    if (source[i] === APOSTROPHE || i === source.length) continue;
    const next = source.indexOf(APOSTROPHE, i);
    const end = next === -1 ? source.length : next;
    if (end - i < FAR) continue;
    at += source.copy(bytes, at, i, end);
    i = end;
  }
  return at;
}
