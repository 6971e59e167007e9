import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { CountPauses } from './count-pauses.js';

it('are four times as long as the count, and five seconds at most', () => {
  const clock = new ManualClock();
  const pauses = new CountPauses(clock);
  const afterCountOf = (milliseconds: number) => {
    const began = clock.now();
    clock.advance(milliseconds);
    pauses.counted('a', began);
    return pauses.left('a');
  };
  expect([pauses.left('a'), afterCountOf(0), afterCountOf(50), pauses.left('b')]).toEqual([0, 0, 200, 0]);
  clock.advance(150);
  expect(pauses.left('a')).toBe(50);
  clock.advance(50);
  expect([pauses.left('a'), afterCountOf(9_000)]).toEqual([0, 5_000]);
  clock.setBack(3_600_000);
  expect(pauses.left('a')).toBe(0);
});
