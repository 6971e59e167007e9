import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { WorkPauses } from './work-pauses.js';

it('are four times as long as the work, and five seconds at most', () => {
  const clock = new ManualClock();
  const pauses = new WorkPauses(clock);
  const afterWorkOf = (milliseconds: number) => {
    const began = clock.now();
    clock.advance(milliseconds);
    pauses.ended('a', began);
    return pauses.left('a');
  };
  expect([pauses.left('a'), afterWorkOf(0), afterWorkOf(50), pauses.left('b')]).toEqual([0, 0, 200, 0]);
  clock.advance(150);
  expect(pauses.left('a')).toBe(50);
  clock.advance(50);
  expect([pauses.left('a'), afterWorkOf(9_000)]).toEqual([0, 5_000]);
  clock.setBack(3_600_000);
  expect(pauses.left('a')).toBe(0);
});
