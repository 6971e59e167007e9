import { expect, it } from 'vitest';
import { boundedKey } from './bounded-key.js';

it('keeps short texts, and tells long ones apart in few characters', () => {
  const long = 'x'.repeat(257);
  expect([boundedKey(''), boundedKey('x'.repeat(256))]).toEqual(['', 'x'.repeat(256)]);
  expect([boundedKey(long).length, boundedKey(long) === boundedKey(`${long}x`)]).toEqual([71, false]);
  expect(boundedKey(long)).toBe(boundedKey('x'.repeat(257)));
});
