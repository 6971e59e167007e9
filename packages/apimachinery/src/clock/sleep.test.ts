import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.js';
import { sleep } from './sleep.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('wakes at its time, or when the signal aborts, and leaves no timer or listener', async () => {
  const aborting = new AbortController();
  const removed = vi.spyOn(aborting.signal, 'removeEventListener');
  const woken: string[] = [];
  const add = async (name: string, milliseconds: number, signal?: AbortSignal) => {
    await sleep(systemClock, milliseconds, signal);
    woken.push(name);
  };
  void add('early', 10);
  void add('early too', 20, aborting.signal);
  void add('late', 500, aborting.signal);
  void add('never slept', 500, AbortSignal.abort());
  const seen: string[][] = [];
  for (const step of [() => {}, () => vi.advanceTimersByTime(20), () => aborting.abort()]) {
    step();
    await vi.advanceTimersByTimeAsync(0);
    seen.push(woken.splice(0));
  }
  expect([seen, vi.getTimerCount(), removed.mock.calls.length]).toEqual([
    [['never slept'], ['early', 'early too'], ['late']],
    0,
    2,
  ]);
});
