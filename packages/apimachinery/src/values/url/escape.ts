import { ParseError } from '../../text/parse-error.js';
import { quoteBytes } from '../../text/quote-bytes.js';

/** The places of a URL that differ in the characters which they escape. */
export type Place = 'path' | 'host' | 'zone' | 'user' | 'query' | 'fragment';

const UNRESERVED = 'A-Za-z0-9._~\\-';
const HOST = `${UNRESERVED}!$&'()*+,;=:<>"[\\]`;

/** The characters that need no escape, as a class of a pattern. Upstream: shouldEscape in Go's net/url */
const PLAIN: Readonly<Record<Place, string>> = {
  path: `${UNRESERVED}$&+,/:;=@`,
  host: HOST,
  zone: HOST,
  user: `${UNRESERVED}$&+,;=`,
  query: UNRESERVED,
  fragment: `${UNRESERVED}$&+,/:;=?@!()*`,
};

/** Escapes the bytes that need it. */
export function escapeBytes(bytes: string, place: Place): string {
  return bytes.replace(new RegExp(`[^${PLAIN[place]}]`, 'g'), percent);
}

function percent(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Reports whether a path or fragment could have been written like this. */
export function isValidEncoding(bytes: string, place: Place): boolean {
  return !new RegExp(`[^${PLAIN[place]}!$&'()*+,;=:@[\\]%]`).test(bytes);
}

/** The escapes, and the characters that the place does not allow or that stand for another. */
const SPECIAL: Readonly<Record<Place, RegExp>> = {
  path: /%.{0,2}/gs,
  host: new RegExp(`%.{0,2}|[^${HOST}%\\x80-\\xff]`, 'gs'),
  zone: new RegExp(`%.{0,2}|[^${HOST}%\\x80-\\xff]`, 'gs'),
  user: /%.{0,2}/gs,
  query: /%.{0,2}|\+/gs,
  fragment: /%.{0,2}/gs,
};

/** Resolves the escapes. Throws a ParseError for a wrong one, and for a character that the place does not allow. */
export function unescapeBytes(bytes: string, place: Place): string {
  return bytes.replace(SPECIAL[place], (special) => {
    if (special.startsWith('%')) return unescapeOne(special, place);
    if (special === '+') return ' ';
    throw new ParseError(`invalid character ${quoteBytes(special)} in host name`);
  });
}

function unescapeOne(written: string, place: Place): string {
  const code = 16 * hexDigit(written.charCodeAt(1)) + hexDigit(written.charCodeAt(2));
  if (Number.isNaN(code) || !isAllowed(code, place)) {
    throw new ParseError(`invalid URL escape ${quoteBytes(written)}`);
  }
  return String.fromCharCode(code);
}

/** The value of a hexadecimal digit; NaN for others. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** A host escapes percent signs and bytes beyond ASCII only; a zone what it could write, percent signs and spaces. */
function isAllowed(code: number, place: Place): boolean {
  if (place === 'host') return code >= 0x80 || code === 0x25;
  if (place !== 'zone' || code === 0x25 || code === 0x20) return true;
  return new RegExp(`[${HOST}]`).test(String.fromCharCode(code));
}
