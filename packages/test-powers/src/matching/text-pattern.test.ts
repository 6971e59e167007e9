import { expect, it } from 'vitest';
import { compilePattern, type TextPattern } from './text-pattern.js';

it.each<[TextPattern, readonly string[], readonly string[]]>([
  ['pods', ['pods'], ['pod', 'pods/status', '']],
  ['', [''], ['a']],
  ['*', ['', 'pods/status'], []],
  ['pods/*', ['pods/status', 'pods/'], ['pods', 'xpods/']],
  ['*/status', ['pods/status'], ['pods/statusx']],
  ['a*b*c', ['abc', 'a--b--c', 'abbc'], ['ac', 'abcd', 'acb']],
  ['a*a', ['aa', 'aba'], ['a']],
  ['ab*b*ba', ['abbba'], ['abba', 'aba']],
  [['get', 'l*'], ['get', 'list'], ['watch']],
  [[], [], ['', 'get']],
])('%j', (pattern, matching, others) => {
  const matches = compilePattern(pattern);
  expect(matching.filter((text) => !matches(text))).toEqual([]);
  expect(others.filter(matches)).toEqual([]);
});
