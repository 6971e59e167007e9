import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { OpeningTurns } from './opening-turns.js';

/** Milliseconds of one beginning: longer than a turn has for all. */
const LONG_MS = 3;

function busy(): void {
  for (const end = performance.now() + LONG_MS; performance.now() < end; );
}

it('is free until the time of a turn is spent, and in the next turn again', async () => {
  const openings = new OpeningTurns();
  expect(openings.isFree()).toBe(true);
  busy();
  expect(openings.isFree()).toBe(false);
  await nextTurn();
  expect(openings.isFree()).toBe(true);
});

it('opens slow connections in a turn each, in their order', async () => {
  const openings = new OpeningTurns();
  const opened: number[] = [];
  for (const i of [0, 1, 2]) {
    openings.add(() => {
      opened.push(i);
      busy();
    });
  }
  const seen: number[] = [opened.length];
  while (opened.length < 3) {
    await nextTurn();
    seen.push(opened.length);
    if (opened.length < 3) expect(openings.isFree()).toBe(false);
  }
  expect([opened, seen]).toEqual([
    [0, 1, 2],
    [0, 1, 2, 3],
  ]);
  await nextTurn();
  expect(openings.isFree()).toBe(true);
});
