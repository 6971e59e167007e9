import { expect, it } from 'vitest';
import { parseQuery } from './request-target.js';

it.each([
  [
    'a=1&b=2',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  [
    'a=1&b;=2&c=%zz&d=3',
    [
      ['a', '1'],
      ['d', '3'],
    ],
  ],
])('the query %s', (rawQuery, expected) => {
  expect([...parseQuery(rawQuery)]).toEqual(expected);
});

it.each([
  [10_000, 10_000],
  [10_001, 0],
  [100_000, 0],
])('of %i parameters %i are read', (count, expected) => {
  expect(parseQuery(`${'a=b&'.repeat(count - 1)}a=b`).size).toBe(expected);
});
