import { expect, it } from 'vitest';
import { cutText } from './cut-text.js';

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['a\u{1f600}', 2, 'a\ufffd…'],
])('%j within %d units is %j', (text, maxLength, expected) => {
  expect(cutText(text, maxLength)).toBe(expected);
});
