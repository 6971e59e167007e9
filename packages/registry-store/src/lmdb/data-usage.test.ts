import { expect, it } from 'vitest';
import { bytesInFile } from './data-usage.js';

it.each([
  [10, 10, 30],
  [10, 11, 32],
  [10, 2014, 2034],
  // Larger values have pages of their own.
  [10, 2015, 44 + 4096],
  [10, 4072, 44 + 4096],
  [10, 4073, 44 + 8192],
])('a key of %i bytes with a value of %i takes %i', (keyLength, valueLength, expected) => {
  expect(bytesInFile(keyLength, valueLength)).toBe(expected);
});
