import { expect, it } from 'vitest';
import { uintProblem } from './uint-problem.js';

it.each([
  ['0', undefined],
  ['18446744073709551615', undefined],
  [`${'0'.repeat(1_000_000)}18446744073709551615`, undefined],
  ['18446744073709551616', 'value out of range'],
  ['18446744073709551616x', 'value out of range'],
  ['9'.repeat(1_000_000), 'value out of range'],
  ['18446744073709551615x', 'invalid syntax'],
  ['', 'invalid syntax'],
  ['x', 'invalid syntax'],
  ['-1', 'invalid syntax'],
  ['+1', 'invalid syntax'],
  ['1_0', 'invalid syntax'],
])('%.30s', (text, problem) => {
  expect(uintProblem(text)).toBe(problem);
});
