import { BACKSLASH, COMMA, QUOTE } from './json-bytes.js';

/**
 * True if JSON text has more values than `most`: members of objects and elements of lists, at all depths. Nothing is
 * parsed, and the text may be ill-formed. The first value of each object or list does not count.
 */
export function hasMoreValues(json: Uint8Array, most: number): boolean {
  // A value takes two bytes at least: itself and a comma.
  if (json.length <= 2 * most) return false;
  let values = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === COMMA && ++values > most) return true;
    if (byte === QUOTE) i = endOfText(json, i + 1);
  }
  return false;
}

function endOfText(json: Uint8Array, start: number): number {
  let i = start;
  while (i < json.length && json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1;
  return i;
}
