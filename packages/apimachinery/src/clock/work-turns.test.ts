import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { WorkTurns } from './work-turns.js';

/** Milliseconds of one piece: longer than a turn has for all. */
const LONG_MS = 3;

function busy(): void {
  for (const end = performance.now() + LONG_MS; performance.now() < end; );
}

it('is free until the time of a turn is spent, and in the next turn again', async () => {
  const turns = new WorkTurns();
  expect(turns.isFree()).toBe(true);
  busy();
  expect(turns.isFree()).toBe(false);
  await nextTurn();
  expect(turns.isFree()).toBe(true);
});

it('does slow work in a turn each, in their order', async () => {
  const turns = new WorkTurns();
  const done: number[] = [];
  for (const i of [0, 1, 2]) {
    turns.add(() => {
      done.push(i);
      busy();
    });
  }
  const seen: number[] = [done.length];
  while (done.length < 3) {
    await nextTurn();
    seen.push(done.length);
    if (done.length < 3) expect(turns.isFree()).toBe(false);
  }
  expect([done, seen]).toEqual([
    [0, 1, 2],
    [0, 1, 2, 3],
  ]);
  await nextTurn();
  expect(turns.isFree()).toBe(true);
});
