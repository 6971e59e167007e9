import { expect, test } from 'vitest';
import { parseFloating } from './go-number.js';

test.each([
  ['1', 1],
  ['1.', 1],
  ['-.5e1', -5],
  ['0x1.8p1', 3],
  ['0x1.p1', 2],
  ['0x.8p1', 1],
  ['1.5.', undefined],
  ['.', undefined],
  ['0x1', undefined],
])('reads %s', (text, value) => {
  expect(parseFloating(text)).toBe(value);
});

test('takes linear time for long texts that are no numbers', () => {
  // Twice the digits must not cost four times the steps: here that would be minutes.
  const digits = '9'.repeat(1_000_000);
  expect([parseFloating(`${digits}x`), parseFloating(`0x${digits}x`)]).toEqual([undefined, undefined]);
});
