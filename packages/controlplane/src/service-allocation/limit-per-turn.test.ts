import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limitPerTurn } from './limit-per-turn.js';

it('lets the given number continue per event loop turn, in order', async () => {
  const next = limitPerTurn(3);
  const done: number[] = [];
  for (let i = 0; i < 8; i++) void next().then(() => done.push(i));
  // The first ones need no new turn; the others continue one turn after the other.
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
