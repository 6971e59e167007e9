import { expect, test } from 'vitest';
import { countKinds } from './count-kinds.ts';

test.each([
  ['const a = b as Pod;', 1, 0],
  ['const a = b as unknown as Pod;', 2, 0],
  ['const a = <Pod>b;', 1, 0],
  ['const a = [1] as const;', 0, 0],
  ["import { b as c } from 'd';", 0, 0],
  ["export { b as c } from 'd';", 0, 0],
  ['const a = b satisfies Pod;', 0, 0],
  ["const a = 'b as Pod'; // as Pod", 0, 0],
  ["if (a) throw new Error('no pod');", 0, 1],
  ["throw new StatusError('no pod');", 0, 0],
  ["reject(new Error('no pod'));", 0, 0],
])('%s', (program, casts, bareThrows) => {
  expect(countKinds(program)).toEqual({ casts, bareThrows });
});
