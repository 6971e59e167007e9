import { place } from './pattern-program.js';

/** Values for the character before or after a place at the ends of the text. */
export const BEGINNING = 0;
const LINE_FEED = 1;
const WORD = 2;
const OTHER = 3;

/** Stands for the character at the end of a text. */
export const END = -1;

/** The code point at an offset; of half a pair, that half. */
export function characterAt(text: string, i: number): number {
  const unit = text.charCodeAt(i);
  return (unit & 0xf800) === 0xd800 ? (text.codePointAt(i) as number) : unit;
}

function isWord(character: number): boolean {
  if (character >= 0x61) return character <= 0x7a;
  if (character >= 0x41) return character <= 0x5a || character === 0x5f;
  return character >= 0x30 && character <= 0x39;
}

/** The class of a character before a place, as conditions tell them apart. */
export function beforeOf(character: number): number {
  if (character === 0x0a) return LINE_FEED;
  return isWord(character) ? WORD : OTHER;
}

/** The conditions that hold between two characters. */
export function conditionsAt(before: number, character: number): number {
  let conditions = (before === WORD) === isWord(character) ? place.isNoWordBoundary : place.isWordBoundary;
  if (before === BEGINNING) conditions |= place.beginsText | place.beginsLine;
  if (before === LINE_FEED) conditions |= place.beginsLine;
  if (character === END) conditions |= place.endsText | place.endsLine;
  if (character === 0x0a) conditions |= place.endsLine;
  return conditions;
}
