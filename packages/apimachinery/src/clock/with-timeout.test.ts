import { expect, test } from 'vitest';
import { isDeadlineExceeded, withTimeout } from './with-timeout.js';

/** A clock with one timer at a time, which the test lets expire. */
function manualClock() {
  const timers = new Map<() => void, number>();
  return {
    now: () => 0,
    schedule(callback: () => void, milliseconds: number) {
      timers.set(callback, milliseconds);
      return () => void timers.delete(callback);
    },
    expire: () => {
      for (const callback of timers.keys()) callback();
    },
    pending: () => [...timers.values()],
  };
}

/** Rejects with the reason of the signal. */
const aborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

test('aborts after its time', async () => {
  const clock = manualClock();
  const run = withTimeout({ clock, milliseconds: 20 }, aborted);
  expect(clock.pending()).toEqual([20]);
  clock.expire();
  await expect(run).rejects.toThrow('context deadline exceeded');
  await expect(run).rejects.toSatisfy(isDeadlineExceeded);
  expect(clock.pending()).toEqual([]);
});

test('aborts with its caller', async () => {
  const clock = manualClock();
  const caller = new AbortController();
  const run = withTimeout({ clock, milliseconds: 20, signal: caller.signal }, aborted);
  caller.abort(new Error('the client left'));
  await expect(run).rejects.toThrow('the client left');
  await expect(run).rejects.not.toSatisfy(isDeadlineExceeded);
  expect(clock.pending()).toEqual([]);
});

test('resolves with the result, and cancels its timer', async () => {
  const clock = manualClock();
  const { signal } = new AbortController();
  expect(await withTimeout({ clock, milliseconds: 20, signal }, async (given) => given?.aborted)).toBe(false);
  expect(clock.pending()).toEqual([]);
});

test.each([0, -1])('has no limit with %i milliseconds', async (milliseconds) => {
  const clock = manualClock();
  const { signal } = new AbortController();
  expect(await withTimeout({ clock, milliseconds, signal }, async (given) => given === signal)).toBe(true);
  expect(await withTimeout({ clock, milliseconds }, async (given) => given)).toBeUndefined();
  expect(clock.pending()).toEqual([]);
});
