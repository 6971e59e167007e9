import { newPatternBudget, PatternError } from '@apiserver/apimachinery/patterns';
import { expect, test } from 'vitest';
import { compileLiteralsTogether, compileRegularExpression } from './regular-expression.js';

// The results are those of Go's regexp.
test.each<[string, string, number | undefined, readonly string[]]>([
  ['a+', 'baaab', undefined, ['aaa']],
  ['a*', 'baac', undefined, ['', 'aa', '']],
  ['', '😀a', undefined, ['', '', '']],
  ['a|ab', 'abab', undefined, ['a', 'a']],
  ['\\d', '12345', 2, ['1', '2']],
  ['\\d', '12345', 0, []],
  ['^a', 'aaa', undefined, ['a']],
  ['x', 'abc', undefined, []],
])('findAll of %s in %j', (pattern, text, limit, expected) => {
  expect(compileRegularExpression(pattern).findAll(text, limit)).toEqual(expected);
});

test('find and matches look anywhere in the text', () => {
  const expression = compileRegularExpression('b+');
  expect([expression.find('abbc'), expression.matches('abbc')]).toEqual(['bb', true]);
  expect([expression.find('ac'), expression.matches('ac')]).toEqual([undefined, false]);
});

test('finding all matches of a hostile pattern is refused', () => {
  const expression = compileRegularExpression('[^b]*b|a');
  expect(() => expression.findAll('a'.repeat(100_000), undefined, newPatternBudget())).toThrow(PatternError);
});

test('a pattern of wrong syntax has the error of Go', () => {
  expect(() => compileRegularExpression('(')).toThrow('error parsing regexp: missing closing ): `(`');
});

test('many costly literals of one expression are refused', () => {
  const compile = compileLiteralsTogether();
  expect(() => Array.from({ length: 1_000 }, (_, i) => compile(`(?:a{1,1000})${i}`))).toThrow(PatternError);
});
