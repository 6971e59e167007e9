import { AsyncResource } from 'node:async_hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from './deadlines.js';
import { runSliced, SliceFlow, SliceShare, sliceTurn } from './slice-turns.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function expiring() {
  const deadlines = new Deadlines();
  const seen: string[] = [];
  const add = (name: string, milliseconds: number) => deadlines.add(milliseconds, () => void seen.push(name));
  return { deadlines, seen, add };
}

test('each deadline expires once at its time, in any order of addition', () => {
  const { seen, add } = expiring();
  for (const [name, milliseconds] of [
    ['late', 500],
    ['early', 20],
    ['middle', 60],
    ['now', 0],
  ] as const) {
    add(name, milliseconds);
  }
  const at = [1, 18, 2, 40, 438, 2, 10_000].map((milliseconds) => {
    vi.advanceTimersByTime(milliseconds);
    return [...seen];
  });
  expect(at).toEqual([
    ['now'],
    ['now'],
    ['now', 'early'],
    ['now', 'early', 'middle'],
    ['now', 'early', 'middle'],
    ['now', 'early', 'middle', 'late'],
    ['now', 'early', 'middle', 'late'],
  ]);
});

test('a cleared deadline does not expire, even when another deadline clears it', () => {
  const { deadlines, seen, add } = expiring();
  const first = add('first', 10);
  add('second', 10);
  deadlines.clear(first);
  deadlines.clear(first);
  const third = add('third', 30);
  deadlines.add(20, () => deadlines.clear(third));
  add('fourth', 30);
  vi.advanceTimersByTime(100);
  expect([seen, vi.getTimerCount()]).toEqual([['second', 'fourth'], 0]);
});

test('one timer serves all deadlines, also one beyond the longest timer', () => {
  const { seen, add } = expiring();
  const month = 30 * 24 * 3_600_000;
  add('month', month);
  add('far', month + 1);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(month - 10);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(seen).toEqual(['month', 'far']);
});

test('a deadline that is added during expiry counts from that moment', () => {
  const { deadlines, seen, add } = expiring();
  deadlines.add(10, () => void add('next', 10));
  vi.advanceTimersByTime(15);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(seen).toEqual(['next']);
});

test('a callback that throws does not keep the others from expiring', () => {
  const { deadlines, seen, add } = expiring();
  deadlines.add(10, () => {
    throw new Error('a bug');
  });
  add('at once', 10);
  add('later', 20);
  expect(() => vi.advanceTimersByTime(100)).toThrow('a bug');
  expect(seen).toEqual(['at once', 'later']);
});

test('the timer does not belong to the request that began it', async () => {
  vi.useRealTimers();
  const charge = vi.fn();
  const request = { flow: new SliceFlow(new SliceShare({ weight: 1 })), order: 0, charge };
  let fire = () => {};
  const schedule = (callback: () => void) => {
    fire = AsyncResource.bind(callback);
    return () => {};
  };
  const deadlines = new Deadlines({ now: () => 0, schedule });
  const work = Promise.withResolvers<void>();
  runSliced(request, () => deadlines.add(0, () => void sliceTurn().then(work.resolve)));
  fire();
  await work.promise;
  // A slice is charged before the next one begins.
  await sliceTurn();
  expect(charge).not.toHaveBeenCalled();
});
