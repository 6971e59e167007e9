import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { monotonicClock, systemClock } from './clock.js';

const DAY_MS = 24 * 60 * 60 * 1000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['system', systemClock],
  ['monotonic', monotonicClock],
])('the %s clock waits longer than the timers of Node', (_what, clock) => {
  const called = vi.fn();
  clock.schedule(called, 60 * DAY_MS);
  vi.advanceTimersByTime(60 * DAY_MS - 1);
  expect(called).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(called).toHaveBeenCalledOnce();
});

it('forgets a callback that waits for its second timer', () => {
  const called = vi.fn();
  const cancel = systemClock.schedule(called, 60 * DAY_MS);
  vi.advanceTimersByTime(30 * DAY_MS);
  cancel();
  vi.advanceTimersByTime(60 * DAY_MS);
  expect(called).not.toHaveBeenCalled();
});
