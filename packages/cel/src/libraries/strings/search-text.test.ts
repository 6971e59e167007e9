import { expect, test } from 'vitest';
import { findLastText, findText, TextSearch } from './search-text.js';

test('finds in long texts what the engine finds', () => {
  const text = `${'ab'.repeat(2_000)}abc${'ab'.repeat(2_000)}`;
  const searched = `${'ab'.repeat(500)}abc`;
  expect([
    findText(text, searched),
    findText(text, searched, 3_001),
    findText(text, searched, 3_100),
    findLastText(text, searched, text.length),
    findLastText(text, searched, 2_999),
    findLastText(text, 'ab'.repeat(500), 7_000),
  ]).toEqual([
    text.indexOf(searched),
    -1,
    -1,
    text.lastIndexOf(searched),
    text.lastIndexOf(searched, 2_999),
    text.lastIndexOf('ab'.repeat(500), 7_000),
  ]);
});

test('takes linear time for the worst text', () => {
  const text = 'a'.repeat(3_000_000);
  // The engine takes the product of both lengths: minutes.
  const searched = `b${'a'.repeat(1_500_000)}`;
  const search = new TextSearch(text, searched);
  expect([search.next(0), findLastText(text, searched, text.length)]).toEqual([-1, -1]);
});
