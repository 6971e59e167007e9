import { afterAll, expect, it } from 'vitest';
import { WorkCounter } from './work-counter.js';

const work = new WorkCounter();
afterAll(() => work[Symbol.dispose]());

function loop(times: number): number {
  let sum = 0;
  for (let i = 0; i < times; i++) sum += i;
  return sum;
}

it('counts each round of a loop, however hot it is', () => {
  for (let i = 0; i < 1_000; i++) loop(1_000);
  // The counter itself runs a few dozen blocks.
  const thousands = (times: number) => Math.round(work.count(() => loop(times)) / 1_000);
  expect([1, 100_000, 100_000].map(thousands)).toEqual([0, 100, 100]);
});
