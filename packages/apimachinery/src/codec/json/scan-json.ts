import { isUtf8 } from 'node:buffer';

// Not imported from json-bytes.ts: V8 does not fold an imported constant into its loops.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Results of one pass over the bytes of well-formed JSON text. */
export interface JsonScan {
  /** Number of object members at all depths. Fewer keys in the parsed value mean duplicates. */
  readonly members: number;
  /** The same of the outermost object alone. */
  readonly ownMembers: number;
  /**
   * True if JSON.parse may be wrong about the text. It has numbers other than plain integers of at most 15 digits,
   * escaped surrogates, or bytes that are not UTF-8. Or a name of a member has a backslash.
   */
  readonly odd: boolean;
  /** True if a name of a member is written with an escape. */
  readonly escapedNames: boolean;
  /** Nesting depth of arrays and objects. */
  readonly depth: number;
}

/**
 * One pass over JSON text that decides between JSON.parse and the exact decoder. Ill-formed text is allowed: the result
 * means nothing then, but the scan ends.
 */
export function scanJson(bytes: Uint8Array): JsonScan {
  const length = bytes.length;
  let members = 0;
  let ownMembers = 0;
  let depth = 0;
  let deepest = 0;
  let odd = false;
  let escapedNames = false;
  let high = 0;
  let i = 0;
  while (i < length) {
    const byte = bytes[i++] as number;
    if (byte === QUOTE) {
      let escapes = 0;
      let backslashes = 0;
      for (; i < length; i++) {
        const c = bytes[i] as number;
        if (c === QUOTE) break;
        high |= c;
        if (c === BACKSLASH) {
          if (isSurrogateEscape(bytes, i + 1)) odd = true;
          if (isEscapedBackslash(bytes, i + 1)) backslashes++;
          escapes++;
          i++;
        }
      }
      i++;
      if (escapes > 0 && isBeforeColon(bytes, i)) {
        escapedNames = true;
        if (backslashes > 0) odd = true;
      }
    } else if (byte === COLON) {
      members++;
      if (depth === 1) ownMembers++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) deepest = ++depth > deepest ? depth : deepest;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const end = endOfDigits(bytes, i);
      if (end - i > 14 || isNumberTail(bytes[end]) || isMinusZero(bytes, i - 1)) odd = true;
      i = end;
    }
  }
  return { members, ownMembers, odd: odd || ((high & 0x80) !== 0 && !isUtf8(bytes)), escapedNames, depth: deepest };
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let i = start;
  while (i < bytes.length && (bytes[i] as number) >= 0x30 && (bytes[i] as number) <= 0x39) i++;
  return i;
}

/** True for a dot or an exponent: the number is not written as an integer. */
function isNumberTail(byte: number | undefined): boolean {
  return byte === 0x2e || byte === 0x65 || byte === 0x45;
}

/** True for `-0`, which JSON.parse turns into a distinct number. */
function isMinusZero(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === 0x2d && bytes[start + 1] === 0x30;
}

/** True for a backslash, or `u005c`, after a backslash. */
function isEscapedBackslash(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] === BACKSLASH) return true;
  const isHex = bytes[at] === 0x75 && bytes[at + 1] === 0x30 && bytes[at + 2] === 0x30 && bytes[at + 3] === 0x35;
  return isHex && ((bytes[at + 4] as number) | 0x20) === 0x63;
}

/** True if only space is between this byte and the colon behind a name. */
function isBeforeColon(bytes: Uint8Array, start: number): boolean {
  let i = start;
  while (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09) i++;
  return bytes[i] === COLON;
}

/** True for `uD8…` to `uDF…` after a backslash. */
function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== 0x75) return false;
  const first = (bytes[at + 1] ?? 0) | 0x20;
  const second = (bytes[at + 2] ?? 0) | 0x20;
  return first === 0x64 && (second === 0x38 || second === 0x39 || (second >= 0x61 && second <= 0x66));
}
