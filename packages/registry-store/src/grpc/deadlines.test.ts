import { expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { Deadlines } from './deadlines.js';

it('calls back those that are not called off, each in its time', () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const passed: string[] = [];
  const add = (name: string, milliseconds: number) => deadlines.add(milliseconds, () => passed.push(name));
  add('late', 100);
  add('soon', 10);
  const off = add('off', 10);
  add('again', 10);
  off();
  off();
  const seen = [9, 10, 50, 100].map((now, i, all) => {
    clock.advance(now - (all[i - 1] ?? 0));
    return [...passed];
  });
  expect(seen).toEqual([[], ['soon', 'again'], ['soon', 'again'], ['soon', 'again', 'late']]);
});
