import { expect, it } from 'vitest';
import { firstIndexes } from './first-indexes.js';

it('returns the first index of each string', () => {
  expect(Object.fromEntries(firstIndexes(['a', 'b', 'a', '', 'b']))).toEqual({ a: 0, b: 1, '': 3 });
  expect(firstIndexes([]).size).toBe(0);
});
