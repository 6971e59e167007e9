import { expect, it } from 'vitest';
import { DroppedRequests } from './dropped-requests.js';

/** Drops this many requests in each second. Returns the pause after each. */
function drop(perSecond: readonly number[]): number[] {
  const dropped = new DroppedRequests();
  return perSecond.map((requests, second) => {
    for (let i = 0; i < requests; i++) dropped.record(1_000 + second);
    return dropped.retryAfter;
  });
}

/** As upstream's tracker of v0.36.6. */
it.each([
  [
    [5, 5, 5, 5],
    [1, 2, 2, 4],
  ],
  [
    [4, 4, 4, 4, 10, 10, 20, 20],
    [1, 2, 2, 4, 4, 4, 4, 8],
  ],
  [
    [3, 1, 1, 1, 1],
    [1, 2, 2, 2, 2],
  ],
  [
    [9, 9, 9, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1],
    [1, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1],
  ],
])('with %j dropped requests in each second', (perSecond, pauses) => {
  expect(drop(perSecond)).toEqual(pauses);
});

it('never tells clients to wait for more than 32 seconds', () => {
  const rising = drop(Array.from({ length: 70 }, () => 200));
  expect([rising[30], rising[31], rising.at(-1)]).toEqual([16, 32, 32]);
});
