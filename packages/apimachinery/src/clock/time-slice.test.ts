import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { TimeSlice } from './time-slice.js';

let clock: MockInstance<() => number>;
beforeEach(() => {
  clock = vi.spyOn(performance, 'now').mockReturnValue(100);
});
afterEach(() => vi.restoreAllMocks());

it('is over after its time, and begins again when it has yielded', async () => {
  const slice = new TimeSlice(20);
  const overAt = (now: number) => {
    clock.mockReturnValue(now);
    return slice.over;
  };
  expect([overAt(119.9), overAt(120)]).toEqual([false, true]);
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  clock.mockReturnValue(300);
  await slice.yield();
  expect([turned, overAt(319.9), overAt(320)]).toEqual([true, false, true]);
});

it('counts from an earlier start', () => {
  expect([new TimeSlice(5, 95.1).over, new TimeSlice(5, 95).over]).toEqual([false, true]);
});

it('looks at the clock once in several records, and at large ones', () => {
  const slice = new TimeSlice(0);
  const looked = (bytes: number) => [0, 1, 2, 3, 4].map((index) => slice.overAt(index, 3, bytes));
  expect([looked(64 * 1024 - 1), looked(64 * 1024)]).toEqual([
    [false, false, true, false, false],
    [true, true, true, true, true],
  ]);
});
