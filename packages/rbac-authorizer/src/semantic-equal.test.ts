import { expect, it } from 'vitest';
import { semanticEqual } from './semantic-equal.js';

it.each<[unknown, unknown, boolean]>([
  [undefined, null, true],
  [undefined, [], true],
  [[], {}, true],
  [{ a: undefined }, null, true],
  [null, '', false],
  [0, undefined, false],
  [{ a: [] }, {}, false],
  [{ a: [], b: 1 }, { b: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [[1, 2], [1, 2], true],
  [[1, 2], [1], false],
  [[1], [1, 2], false],
  [[1, 2], [2, 1], false],
  [['a'], { 0: 'a' }, false],
  [{ 0: 'a' }, ['a'], false],
  [[{ a: null }], [{}], true],
  ['a', 'a', true],
  ['a', 'b', false],
  ['a', ['a'], false],
  [['a'], 'a', false],
  [{ 0: 'a' }, 'a', false],
])('%j and %j: %j', (a, b, equal) => {
  expect([semanticEqual(a, b), semanticEqual(b, a)]).toEqual([equal, equal]);
});
