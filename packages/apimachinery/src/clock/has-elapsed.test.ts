import { expect, it } from 'vitest';
import { hasElapsed } from './has-elapsed.js';

it.each([
  [1_000, false],
  [1_009, false],
  [1_010, true],
  // Set back.
  [999, true],
])('at %i, 10 ms since 1,000: %s', (now, expected) => {
  expect(hasElapsed({ now: () => now }, 1_000, 10)).toBe(expected);
});
