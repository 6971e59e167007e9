import { expect, it } from 'vitest';
import { parseInt64 } from './int64.js';

it.each<[string, bigint | string]>([
  ['0', 0n],
  ['+0012', 12n],
  ['-0', 0n],
  ['9223372036854775807', 2n ** 63n - 1n],
  ['-9223372036854775808', -(2n ** 63n)],
  ['9223372036854775808', 'value out of range'],
  ['-9223372036854775809', 'value out of range'],
  ['99999999999999999999x', 'value out of range'],
  ['', 'invalid syntax'],
  ['+', 'invalid syntax'],
  ['--1', 'invalid syntax'],
  ['1.0', 'invalid syntax'],
  [' 1', 'invalid syntax'],
])('parses %j', (text, parsed) => {
  expect(parseInt64(text)).toBe(parsed);
});

it('reads a long text once', () => {
  const zeros = '0'.repeat(300_000);
  expect([parseInt64(`${zeros}7`), parseInt64(`${zeros}x`)]).toEqual([7n, 'invalid syntax']);
});
