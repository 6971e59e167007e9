import { expect, it } from 'vitest';
import { quote } from './quote.js';
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

it('quotes for the time package byte by byte', () => {
  expect(quoteTime('a"\\\u007fé\n')).toBe('"a\\"\\\\\u007f\\xc3\\xa9\\x0a"');
});
