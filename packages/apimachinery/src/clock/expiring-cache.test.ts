import { expect, it } from 'vitest';
import { SettableClock } from '../testing/index.js';
import { ExpiringCache } from './expiring-cache.js';

it('keeps a value for its time, and no longer', () => {
  let now = 0;
  const cache = new ExpiringCache<number>({ now: () => now }, 10);
  cache.set('a', 1, 100);
  cache.set('never', 2, 0);
  now = 99;
  expect([cache.get('a'), cache.get('never'), cache.get('unknown')]).toEqual([1, undefined, undefined]);
  now = 100;
  expect(cache.get('a')).toBeUndefined();
});

it('drops a value when the clock is set back', () => {
  let now = 1_000;
  const cache = new ExpiringCache<number>({ now: () => now }, 10);
  cache.set('a', 1, 100);
  now = 999;
  expect(cache.get('a')).toBeUndefined();
  now = 1_000;
  expect(cache.get('a')).toBeUndefined();
});

it('drops the least recently used value', () => {
  const cache = new ExpiringCache<number>({ now: () => 0 }, 2);
  cache.set('a', 1, 100);
  cache.set('b', 2, 100);
  cache.get('a');
  cache.set('c', 3, 100);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

it('keeps values up to their weight, and none that is heavier alone', () => {
  const cache = new ExpiringCache<number>({ now: () => 0 }, 10, { maxWeight: 5, weightOf: (value) => value });
  cache.set('a', 1, 100);
  cache.set('b', 3, 100);
  cache.set('b', 2, 100);
  cache.set('c', 2, 100);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, 2, 2]);
  cache.set('heavy', 6, 100);
  cache.set('d', 3, 100);
  expect(['a', 'b', 'c', 'd', 'heavy'].map((key) => cache.get(key))).toEqual([undefined, undefined, 2, 3, undefined]);
});

it('weighs no value that is not kept', () => {
  const weighed: number[] = [];
  const weightOf = (value: number) => weighed.push(value);
  const cache = new ExpiringCache<number>({ now: () => 0 }, 10, { maxWeight: 5, weightOf });
  cache.set('a', 1, 0);
  cache.set('b', 2, 100);
  expect(weighed).toEqual([2]);
});

it('drops the old value for a new one that is not kept', () => {
  const cache = new ExpiringCache<number>({ now: () => 0 }, 2);
  cache.set('a', 1, 100);
  cache.set('a', 2, 0);
  expect(cache.get('a')).toBeUndefined();
});

it.each([-3_600_000, 3_600_000])('keeps a value for its time when the machine is set by %i ms', (step) => {
  const clock = new SettableClock();
  const cache = new ExpiringCache<number>(clock, 10);
  cache.set('a', 1, 100);
  clock.set(step);
  clock.advance(99);
  expect(cache.get('a')).toBe(1);
  clock.advance(1);
  expect(cache.get('a')).toBeUndefined();
});
