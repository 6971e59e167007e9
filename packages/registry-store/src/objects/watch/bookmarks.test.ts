import { ManualClock, SettableClock } from '@apiserver/apimachinery/testing';
import { expect, it, vi } from 'vitest';
import { type BookmarkReceiver, Bookmarks } from './bookmarks.js';

/** Bookmarks, and a receiver that records the seconds at which it got one. */
function started() {
  const clock = new ManualClock(0);
  const schedule = vi.spyOn(clock, 'schedule');
  const bookmarks = new Bookmarks(clock);
  const receiver = (deadline: number | undefined) => {
    const seconds: number[] = [];
    const made: BookmarkReceiver = { deadline, bookmark: () => void seconds.push(clock.now() / 1000) };
    bookmarks.add(made);
    return { made, seconds };
  };
  return { clock, bookmarks, receiver, timers: () => schedule.mock.calls.map(([, milliseconds]) => milliseconds) };
}

it.each([
  [undefined, [60, 120, 180]],
  [10_000, [8]],
  [62_000, [60]],
  [63_000, [60, 61]],
  [100_000, [60, 98]],
  [2000, []],
  [2001, [1]],
])('come each minute, and two seconds before the end at %s ms', (deadline, expected) => {
  const { clock, receiver } = started();
  const { seconds } = receiver(deadline);
  clock.advance(180_000);
  expect(seconds).toEqual(expected);
});

it('come within a minute after the clock was set back', () => {
  const { clock, receiver } = started();
  const { seconds } = receiver(undefined);
  clock.advance(70_000);
  clock.setBack(3_600_000);
  clock.advance(120_000);
  expect(seconds).toEqual([60, 120 - 3_600, 180 - 3_600]);
});

it('come in one tick for receivers of about the same time', () => {
  const { clock, receiver, timers } = started();
  const first = receiver(undefined);
  clock.advance(500);
  const second = receiver(undefined);
  expect(timers()).toEqual([60_000]);
  clock.advance(61_000);
  expect([first.seconds, second.seconds, timers()]).toEqual([[60], [61], [60_000, 1000, 59_000]]);
});

it('come earlier for a receiver that ends earlier', () => {
  const { clock, receiver } = started();
  const [late, early] = [receiver(undefined), receiver(30_000)];
  clock.advance(60_000);
  expect([late.seconds, early.seconds]).toEqual([[60], [28]]);
});

it('keep the time of a receiver that is added again', () => {
  const { clock, bookmarks, receiver } = started();
  const { made, seconds } = receiver(undefined);
  for (let second = 0; second < 60; second += 20) {
    clock.advance(20_000);
    bookmarks.add(made);
  }
  expect(seconds).toEqual([60]);
});

it('stop with the last receiver, and begin again with the next', () => {
  const { clock, bookmarks, receiver, timers } = started();
  const [first, second] = [receiver(undefined), receiver(undefined)];
  bookmarks.remove(first.made);
  clock.advance(60_000);
  bookmarks.remove(second.made);
  clock.advance(600_000);
  expect([first.seconds, second.seconds, timers()]).toEqual([[], [60], [60_000, 60_000]]);
  const third = receiver(undefined);
  clock.advance(60_000);
  expect(third.seconds).toEqual([720]);
});

it.each([3_600_000, -3_600_000])('keep their times when the machine is set by %i ms', (step) => {
  const clock = new SettableClock();
  const bookmarks = new Bookmarks(clock);
  const begun = clock.monotonic.now();
  const seconds: number[] = [];
  const bookmark = () => void seconds.push((clock.monotonic.now() - begun) / 1000);
  bookmarks.add({ deadline: begun + 100_000, bookmark });
  clock.advance(30_000);
  clock.set(step);
  clock.advance(150_000);
  expect(seconds).toEqual([60, 98]);
});
