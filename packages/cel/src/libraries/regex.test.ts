import { expect, test } from 'vitest';
import { evaluateText } from '../testing/evaluate-text.js';

test.each([
  ['"abc 123 def 456".find("[0-9]+")', '123', 4],
  ['"abc".find("[0-9]+")', '', 2],
  ['"abc 123 def 456".findAll("[0-9]+")', '[123, 456]', 4],
  ['"abc 123 def 456".findAll("[0-9]+", 1)', '[123]', 4],
  ['"abc".findAll("[a-z]", 0)', '[]', 2],
  ['"a".findAll("(" + "", 0)', 'error: Illegal regex: error parsing regexp: missing closing ): `(`', 2],
  ['"é😀".findAll("", 2)', '[, ]', 0],
  ['"é😀".findAll("")', '[, , ]', 0],
  ['"a".find("(" + "")', 'error: Illegal regex: error parsing regexp: missing closing ): `(`', 2],
  ['"a".find("(")', 'program error: error parsing regexp: missing closing ): `(`', 0],
  ['"abc".matches("^a.c$")', 'true', 2],
  ['matches("abc", "b")', 'true', 1],
  ['"abc".matches("(" + "")', 'error: error parsing regexp: missing closing ): `(`', 2],
  ['"abc".substring(5).matches("a") || true', 'true', 1],
  ['"abc".substring(5).matches("a" + "") || true', 'true', 3],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});
