import { expect, it } from 'vitest';
import { sliceTurn } from './slice-turns.js';

/** Blocks the event loop. */
function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let turns = 0;
  let isOver = false;
  const next = () => {
    turns++;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return {
    get turns() {
      return turns;
    },
    stop: () => {
      isOver = true;
    },
  };
}

it('resumes short loops together, in their order', async () => {
  const counter = countTurns();
  const log: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      await sliceTurn();
      log.push(i);
    }),
  );
  counter.stop();
  expect(log).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

it('gives long loops a turn each', async () => {
  const seen: number[] = [];
  const counter = countTurns();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      await sliceTurn();
      seen.push(counter.turns);
      work(6);
    }),
  );
  counter.stop();
  expect(new Set(seen).size).toBe(4);
});

it('resumes a loop that asks again in a later turn', async () => {
  const counter = countTurns();
  await sliceTurn();
  const first = counter.turns;
  await sliceTurn();
  counter.stop();
  expect(counter.turns).toBeGreaterThan(first);
});
