import { expect, it } from 'vitest';
import { LifecycleSignal } from './lifecycle-signal.js';

it('passes its first value to current and later waiters', async () => {
  const signal = new LifecycleSignal<number>();
  const waited = signal.signaled;
  expect([signal.hasBeenSignaled, signal.value]).toEqual([false, undefined]);
  signal.signal(1);
  signal.signal(2);
  expect([signal.hasBeenSignaled, signal.value, await waited, await signal.signaled]).toEqual([true, 1, 1, 1]);
});
