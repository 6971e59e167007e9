import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DeliveryTime } from './delivery-time.js';

let now: number;
let time: DeliveryTime;
beforeEach(() => {
  now = 100;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  time = new DeliveryTime();
});
afterEach(() => vi.restoreAllMocks());

const asked = (times: number, bytes: number) => Array.from({ length: times }, () => time.isOver(bytes));

it('is over after 20 ms, which it looks at once in 8 matches', () => {
  expect(asked(8, 10)).toEqual(Array(8).fill(false));
  now += 20;
  expect(asked(9, 10)).toEqual([...Array(7).fill(false), true, true]);
});

it('looks at the clock before each match with a large change', () => {
  expect(asked(1, 2 ** 16)).toEqual([false]);
  now += 20;
  expect(asked(1, 2 ** 16)).toEqual([true]);
});

it('begins again with each turn of the event loop', async () => {
  asked(1, 10);
  now += 20;
  expect(asked(1, 2 ** 16)).toEqual([true]);
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(asked(1, 2 ** 16)).toEqual([false]);
});
