import { expect, it } from 'vitest';
import { isPrintable, quote } from './quote.js';
import { quoteTime } from './quote-time.js';

it.each([
  ['plain', '"plain"'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
  ['\u0000\u001f\u007f', '"\\x00\\x1f\\x7f"'],
  ['é漢😀', '"é漢😀"'],
  ['\u00a0\u200b\u2028', '"\\u00a0\\u200b\\u2028"'],
  ['\u{e0001}', '"\\U000e0001"'],
  ['\ud800x', '"\ufffdx"'],
])('quotes %o', (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

// Long enough to be built in several pieces.
it.each([
  ['"', '\\"'],
  ['\u0001a', '\\x01a'],
  ['é\u00a0', 'é\\u00a0'],
  ['😀', '😀'],
  ['\u{e0001}', '\\U000e0001'],
])('quotes many of %o as it quotes one', (text, escaped) => {
  for (const count of [1, 2_047, 5_000]) expect(quote(text.repeat(count))).toBe(`"${escaped.repeat(count)}"`);
});

it('prints the characters that Unicode calls printable, ASCII included', () => {
  for (let code = 0; code < 0x180; code++) {
    const character = String.fromCharCode(code);
    expect([code, isPrintable(character)]).toEqual([code, /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)]);
  }
});

it('quotes for the time package byte by byte', () => {
  expect(quoteTime('a"\\\u007fé\n')).toBe('"a\\"\\\\\u007f\\xc3\\xa9\\x0a"');
});

it('cuts a long text for a time', () => {
  const most = 64 * 1_024;
  expect(quoteTime('\n'.repeat(most))).toHaveLength(4 * most + 2);
  expect(quoteTime('\n'.repeat(most + 1))).toBe(`"${'\\x0a'.repeat(most)}..."`);
});
