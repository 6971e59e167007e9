import { describe, expect, it } from 'vitest';
import { churnInformers } from './informers.ts';

const first = Number(process.env['WATCH_SEED'] ?? Date.now() % 2 ** 32);
const rounds = Number(process.env['WATCH_ROUNDS'] ?? 10);

describe('informers behind a bad line hold what is there after many restarts', () => {
  it.each(Array.from({ length: rounds }, (_, round) => (first + round) % 2 ** 32))('WATCH_SEED=%i', async (seed) => {
    const { outcomes } = await churnInformers({ seed, milliseconds: 60_000, restarts: 8, compactionMs: 1_500 });
    for (const { watched, cache, list } of outcomes) expect({ watched, cache }).toEqual({ watched, cache: list });
  });
});
