import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTurns } from './in-turns.js';

it('lets so many go on in one turn, in their order', async () => {
  const next = inTurns(3);
  const done: number[] = [];
  for (let i = 0; i < 8; i++) void next().then(() => done.push(i));
  // What needs no turn of its own is done by now; the others come one turn after the other.
  await Promise.resolve();
  const seen = [done.length];
  while (done.length < 8) {
    await setImmediate();
    seen.push(done.length);
  }
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(seen[0]).toBe(3);
  expect(seen).toContain(6);
});
