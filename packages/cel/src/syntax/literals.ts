import { Double, type Int, intOf, MAX_INT, MAX_UINT, MIN_INT, Uint } from '../values/number.js';
import { LiteralError } from './unescape.js';

/** A literal of this many units, with its sign, is a safe integer. */
const MAX_SAFE_DIGITS = 15;

/** Reads an integer literal, with its sign if it has one. Throws a LiteralError with upstream's text. */
export function intLiteral(text: string): Int {
  if (text.length <= MAX_SAFE_DIGITS && !text.includes('x')) return Number(text) + 0;
  const value = integer(text);
  if (value < MIN_INT || value > MAX_INT) throw new LiteralError('invalid int literal');
  return intOf(value);
}

/** Reads an unsigned literal with its suffix. Throws a LiteralError with upstream's text. */
export function uintLiteral(text: string): Uint {
  const value = integer(text.slice(0, -1));
  if (value > MAX_UINT) throw new LiteralError('invalid uint literal');
  return new Uint(intOf(value));
}

/** Reads a double literal, with its sign if it has one. Throws a LiteralError with upstream's text. */
export function doubleLiteral(text: string): Double {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new LiteralError('invalid double literal');
  return new Double(value);
}

/** Most digits that are read; a longer literal is out of range, or has leading zeros. */
const MAX_DIGITS = 40;

function integer(text: string): bigint {
  const negative = text.startsWith('-');
  const digits = negative ? text.slice(1) : text;
  const hex = digits.startsWith('0x');
  const significant = digits.slice(hex ? 2 : 0).replace(/^0+(?=.)/, '');
  const bounded = BigInt(`${hex ? '0x' : ''}${significant.slice(0, MAX_DIGITS)}`);
  return negative ? -bounded : bounded;
}
