import { isYamlBase60, isYamlNumber, isYamlTimestamp, isYamlWord } from './yaml-scalar.js';

/** Number of digits that always fit into 64 bits, and one that exceeds every double. */
const FEW_DIGITS = 18;
const MAX_DIGITS = 400;

/** Length from which a search beats a loop. */
const LONG = 64;

const DIGITS = /[0-9_]*/y;

/**
 * True for text that reads back as the same text without quotes, as far as its meaning allows. It is not a number,
 * timestamp, or word of YAML 1.1, nor a base-60 number, which other readers interpret.
 */
export function isYamlText(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return isTextAfterDigits(text, 0);
  if (first === 0x2b || first === 0x2d) return !isYamlWord(text) && isTextAfterDigits(text, 1);
  if (first === 0x2e) return !isYamlWord(text) && !isYamlNumber(text);
  return !isYamlWord(text);
}

/**
 * The same for text that begins with digits or a sign. The character after the digits determines the only other
 * meaning.
 */
function isTextAfterDigits(text: string, start: number): boolean {
  const end = endOfDigits(text, start);
  if (end === text.length) return isTextOfDigits(text, start);
  switch (text.charCodeAt(end) | 0x20) {
    case DOT:
    case E:
      return !isYamlNumber(text);
    case COLON:
      return !isYamlBase60(text);
    case DASH:
      return end !== 4 || !isYamlTimestamp(text);
    case X:
    case O:
    case B:
      return text.charCodeAt(start) !== 0x30 || !isYamlNumber(text);
    default:
      return true;
  }
}

// Letters include their capitals.
const DOT = 0x2e;
const DASH = 0x2d;
const COLON = 0x3a;
const [B, E, O, X] = [0x62, 0x65, 0x6f, 0x78];

/** Text of digits and underscores; the first one is a digit or follows a sign. */
function isTextOfDigits(text: string, start: number): boolean {
  const count = text.length - start;
  if (start === 0 && count <= FEW_DIGITS) return false;
  return count > MAX_DIGITS ? isEndless(text, start) : !isYamlNumber(text);
}

/** Reports whether a number with this many digits exceeds every double. */
function isEndless(text: string, start: number): boolean {
  const isSimple = text[start] !== '0' && !text.includes('_');
  return isSimple || !isYamlNumber(text);
}

function endOfDigits(text: string, start: number): number {
  if (text.length > LONG) {
    DIGITS.lastIndex = start;
    DIGITS.test(text);
    return DIGITS.lastIndex;
  }
  let end = start;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return end;
}

function isDigit(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || c === 0x5f;
}
