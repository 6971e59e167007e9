import { expect, it } from 'vitest';
import { churnInformers } from './informers.ts';

const seed = Number(process.env['WATCH_SEED'] ?? Date.now() % 2 ** 32);

it(`informers behind a bad line hold what is there (WATCH_SEED=${seed})`, { timeout: 60_000 }, async () => {
  const { outcomes, cuts, stalls } = await churnInformers({
    seed,
    milliseconds: 5_000,
    restarts: 1,
    compactionMs: 1_500,
  });
  for (const { watched, cache, list, events } of outcomes) {
    expect({ watched, cache }, `WATCH_SEED=${seed}`).toEqual({ watched, cache: list });
    expect(events).toBeGreaterThan(0);
  }
  expect([cuts > 0, stalls > 0]).toEqual([true, true]);
});
