import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { LoweredCounts } from './lowered-counts.js';

it('are repeated once, a second later, even if the clock is set back meanwhile', () => {
  const clock = new ManualClock();
  const counts = new LoweredCounts(clock);
  const pauseAfter = (milliseconds: number) => {
    clock.advance(milliseconds);
    return counts.pauseBeforeRepeat('a');
  };
  counts.repeatLater('a');
  expect([pauseAfter(400), pauseAfter(600), pauseAfter(0)]).toEqual([600, undefined, undefined]);
  counts.repeatLater('a');
  clock.setBack(3_600_000);
  expect([pauseAfter(400), pauseAfter(1_000), pauseAfter(0)]).toEqual([1_000, undefined, undefined]);
});
