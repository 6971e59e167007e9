import { setImmediate as turn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PlaneClock } from './plane-clock.js';

const START = Date.parse('2030-01-01T00:00:00Z');

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A clock, and what ran on it at which second. */
function recorded(...setting: ConstructorParameters<typeof PlaneClock>) {
  const clock = new PlaneClock(...setting);
  const begin = clock.now();
  const seen: string[] = [];
  const run = (name: string, seconds: number): (() => void) =>
    clock.schedule(() => seen.push(`${name}@${(clock.now() - begin) / 1000}`), seconds * 1000);
  return { clock, seen, run, elapsed: () => (clock.now() - begin) / 1000 };
}

it.each(['real', 'held'] as const)('a %s clock runs what is due in order, each at its time', async (setting) => {
  const { clock, seen, run, elapsed } = recorded(setting);
  run('c', 60);
  run('a', 10);
  run('b', 10);
  run('later', 601);
  run('never', 20)();
  clock.schedule(() => void turn().then(() => run('chained', 30)), 5_000);
  await clock.advance('10m');
  expect([seen, elapsed()]).toEqual([['a@10', 'b@10', 'chained@35', 'c@60'], 600]);
  await clock.advance(1000);
  expect(seen.at(-1)).toBe('later@601');
});

it('time stands still while held, and runs on from there', async () => {
  const { clock, elapsed } = recorded(new Date('2040-02-03T00:00:00Z'));
  vi.advanceTimersByTime(5000);
  expect([elapsed(), clock.held, new Date(clock.now()).toISOString()]).toEqual([0, true, '2040-02-03T00:00:00.000Z']);
  clock.release();
  vi.advanceTimersByTime(5000);
  expect([elapsed(), clock.held]).toEqual([5, false]);
  clock.hold();
  await clock.advance('1h');
  vi.advanceTimersByTime(5000);
  expect(elapsed()).toBe(3605);
});

it('timers run after their real delay too, so that retries go on while time is held', async () => {
  const { seen, run } = recorded('held');
  run('a', 2);
  vi.advanceTimersByTime(1999);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual(['a@0']);
});

it('what is left of a delay runs on after the time was advanced', async () => {
  const { clock, seen, run } = recorded('real');
  run('a', 60);
  await clock.advance('50s');
  vi.advanceTimersByTime(9_999);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual(['a@60']);
  const month = 31 * 24 * 3600;
  run('far', month);
  vi.advanceTimersByTime(month * 1000 - 1);
  expect(seen).toEqual(['a@60']);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual(['a@60', `far@${month + 60}`]);
});

it('advances follow one another, and invalid ones are refused', async () => {
  const { clock, elapsed } = recorded('held');
  await Promise.all([clock.advance('1m'), clock.advance('2m')]);
  expect(elapsed()).toBe(180);
  expect(() => clock.advance('soon')).toThrow('invalid duration');
  expect(() => clock.advance('-1s')).toThrow('a clock cannot be advanced by -1s');
  expect(() => clock.advance(Number.NaN)).toThrow('a clock cannot be advanced by NaN');
});

it('is held at a date of another realm, such as those of jest', () => {
  const clock = new PlaneClock(runInNewContext(`new Date(${START})`));
  expect([clock.held, clock.now()]).toEqual([true, START]);
});

it.each(['frozen', new Date('no date'), 0])('refuses the setting %s', (setting) => {
  const make = () => Reflect.construct(PlaneClock, [setting]);
  expect(make).toThrow('clock: must be "real", "held" or a valid Date, not ');
});
