import { expect, it } from 'vitest';
import { lowerCase } from './lower-case.js';

// Answers of Go.
it.each([
  ['Example.COM/Ab', 'example.com/ab'],
  ['İ', 'i'],
  ['ΑΣ ΣΑ', 'ασ σα'],
  ['\u212a', 'k'],
])('%s is %s', (text, expected) => {
  expect(lowerCase(text)).toBe(expected);
});
