import { isParseError } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { findJsonPath } from './find-json-path.js';
import { parseJsonPath } from './parse-json-path.js';

const object = {
  spec: { l: ['p', 'q', 'r'], 'a.b': 1, nested: { x: null } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', n: 3 },
      { type: 'Synced', status: 'False', n: 5 },
    ],
  },
};

it.each([
  ['.spec.l[0]', ['p']],
  ['.spec.l[-1]', ['r']],
  ['.spec.l[1:]', ['q', 'r']],
  ['.spec.l[0:3:2]', ['p', 'r']],
  ['.spec.l[*]', ['p', 'q', 'r']],
  ['.spec.l[7]', []],
  ['.spec.nothing.there', []],
  ['.spec.a\\.b', [1]],
  [".spec['a.b']", [1]],
  ['.spec.nested.x', [null]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['.status.conditions[?(@.n > 4)].type', ['Synced']],
  ["status.conditions[?(@.type!='Ready')].status", ['False']],
  ['.status..status', ['True', 'False']],
])('%s', (path, values) => {
  expect(findJsonPath(object, parseJsonPath(path))).toEqual(values);
});

it.each([
  ['  ', 'read'],
  ['.a', 'read'],
  ['[?(@.b', 'nested too deeply'],
])('any number of %j is %s at once', (part, told) => {
  const begun = performance.now();
  let answer = 'read';
  try {
    parseJsonPath(`.a[?(@.b${part.repeat(100_000)} == 1)]`);
  } catch (error) {
    answer = isParseError(error) ? error.message : String(error);
  }
  expect(answer).toBe(told);
  expect(performance.now() - begun).toBeLessThan(1000);
});

it.each(['.a[', '.a[x]', '.a[?(@.b == c)]'])('refuses %s', (path) => {
  expect(() => parseJsonPath(path)).toThrow();
});
