import { expect, it } from 'vitest';
import { SettableClock } from '../testing/index.js';
import { TokenBucket } from './token-bucket.js';

it('admits a burst, then the rate, and saves no more than a burst', () => {
  let now = 1000;
  const bucket = new TokenBucket(2, 3, { now: () => now });
  const takenAfter = (milliseconds: number) => {
    now += milliseconds;
    return Array.from({ length: 5 }, () => bucket.take()).filter(Boolean).length;
  };
  expect([takenAfter(0), takenAfter(499), takenAfter(1), takenAfter(1000), takenAfter(60_000)]).toEqual([
    3, 0, 1, 2, 3,
  ]);
});

it('gains nothing while the clock runs backwards', () => {
  let now = 1000;
  const bucket = new TokenBucket(1, 1, { now: () => now });
  const taken = [bucket.take()];
  now = 0;
  taken.push(bucket.take());
  now = 1000;
  taken.push(bucket.take());
  expect(taken).toEqual([true, false, true]);
});

it('gains nothing when the machine is set forward', () => {
  const clock = new SettableClock();
  const bucket = new TokenBucket(1, 1, clock);
  const taken = [bucket.take()];
  clock.set(3_600_000);
  taken.push(bucket.take());
  clock.advance(1_000);
  taken.push(bucket.take());
  expect(taken).toEqual([true, false, true]);
});
