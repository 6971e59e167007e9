import { expect, it } from 'vitest';
import { nextDataFile } from './data-files.js';

it.each([
  [undefined, 'data.mdb'],
  ['data.mdb', 'data-1.mdb'],
  ['data-1.mdb', 'data-2.mdb'],
  ['data-19.mdb', 'data-20.mdb'],
])('the data file after %s is %s', (name, next) => {
  expect(nextDataFile(name)).toBe(next);
});
