import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { LaterKeys } from './later-keys.js';

it('checks all keys when the clock was set back', () => {
  const clock = new ManualClock();
  const looked: string[] = [];
  const keys = new LaterKeys(clock, (key) => void looked.push(key));
  keys.add('a', 100);
  keys.add('b', 100);
  clock.setBack(3_600_000);
  clock.advance(101);
  expect(looked).toEqual(['a', 'b']);
});

it('checks each key when it is due, with one timer for all', () => {
  const clock = new ManualClock();
  let timers = 0;
  const counting = {
    now: () => clock.now(),
    schedule(callback: () => void, milliseconds: number) {
      timers++;
      return clock.schedule(callback, milliseconds);
    },
  };
  const looked: string[] = [];
  const keys = new LaterKeys(counting, (key) => void looked.push(key));
  keys.add('a', 100);
  keys.add('b', 100);
  keys.add('a', 5000);
  expect(timers).toBe(1);
  clock.advance(50);
  keys.add('c', 100);
  clock.advance(51);
  expect(looked).toEqual(['a', 'b']);
  clock.advance(50);
  expect([looked, timers]).toEqual([['a', 'b', 'c'], 2]);
  keys.add('d', 10);
  keys.stop();
  clock.advance(1000);
  expect(looked).toEqual(['a', 'b', 'c']);
});
