import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allocateConcurrency } from './allocate-concurrency.js';

interface Recorded {
  readonly sum: number;
  /** Target, lower and upper bound. */
  readonly classes: readonly (readonly [number, number, number])[];
  readonly shares: readonly number[];
  readonly fraction: number;
}

const FILE = new URL('../testing/testdata/allocations.json', import.meta.url);
const recorded: readonly Recorded[] = JSON.parse(readFileSync(FILE, 'utf8'));

it.each(recorded.map((one, i) => [i, one] as const))('divides as upstream: %i', (_, { sum, classes, ...expected }) => {
  const items = classes.map(([target, lowerBound, upperBound]) => ({ target, lowerBound, upperBound }));
  const { shares, fairFraction } = allocateConcurrency(sum, items);
  const near = (value: number) => expect.closeTo(value, 6);
  expect({ shares, fairFraction }).toEqual({
    shares: expected.shares.map(near),
    fairFraction: near(expected.fraction),
  });
});

it.each([
  [-1, [1, 0, 2], 'negative sums are not supported'],
  [1, [1, -1, 2], 'lower bound -1 is negative'],
  [1, [1, 2, 3], 'target 1 is below its lower bound 2'],
  [1, [3, 2, 1], 'upper bound 1 is below the lower bound 2'],
  [1, [2, 2, 3], 'lower bounds sum to 2, above the required sum of 1'],
  [9, [2, 2, 3], 'upper bounds sum to 3, below the required sum of 9'],
])('refuses a sum of %i for %j', (sum, [target = 0, lowerBound = 0, upperBound = 0], message) => {
  expect(() => allocateConcurrency(sum, [{ target, lowerBound, upperBound }])).toThrow(message);
});

it('divides exactly where no bound matters, so that halves are rounded as by upstream', () => {
  const items = [31, 23, 38].map((target) => ({ target, lowerBound: 3, upperBound: 600 }));
  expect(allocateConcurrency(382, items).shares[1]).toBe(95.5);
});
