import { expect, it } from 'vitest';
import { churnInformers } from './informers.ts';

const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 32);

it(`informers behind a bad line hold the present state (SOAK_SEED=${seed})`, { timeout: 180_000 }, async () => {
  const { outcomes, cuts, stalls } = await churnInformers({
    seed,
    milliseconds: 4_500,
    outages: 2,
    compactionMs: 400,
    stallMs: 1_500,
    padding: 2_000,
  });
  for (const { watched, cache, list, events, lists } of outcomes) {
    expect({ watched, cache }, `SOAK_SEED=${seed}`).toEqual({ watched, cache: list });
    // The state of an informer from before the outage was compacted meanwhile: it must get a 410 and list again.
    expect([events > 0, lists > 2], `SOAK_SEED=${seed}`).toEqual([true, true]);
  }
  expect([cuts > 0, stalls > 0]).toEqual([true, true]);
});
