import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from './clock.js';
import { repeat } from './repeat.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('repeats work until the signal aborts, and leaves no timer behind', () => {
  const ended = new AbortController();
  const work = vi.fn();
  repeat(systemClock, 10, work, ended.signal);
  vi.advanceTimersByTime(35);
  ended.abort();
  expect([work.mock.calls.length, vi.getTimerCount()]).toEqual([3, 0]);
  repeat(systemClock, 10, work, ended.signal);
  expect(vi.getTimerCount()).toBe(0);
});
