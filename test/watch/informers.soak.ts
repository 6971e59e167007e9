import { describe, expect, it } from 'vitest';
import { churnInformers } from './informers.ts';

const first = Number(process.env['WATCH_SEED'] ?? Date.now() % 2 ** 32);
const rounds = Number(process.env['WATCH_ROUNDS'] ?? 10);

describe('informers behind a bad line hold what is there after many restarts', () => {
  it.each(Array.from({ length: rounds }, (_, round) => (first + round) % 2 ** 32))('WATCH_SEED=%i', async (seed) => {
    const options = { milliseconds: 60_000, outages: 6, compactionMs: 700, stallMs: 4_000, padding: 40_000 };
    const { outcomes } = await churnInformers({ seed, ...options });
    for (const { watched, cache, list, lists } of outcomes) {
      expect({ watched, cache }).toEqual({ watched, cache: list });
      expect(lists).toBeGreaterThan(options.outages / 2);
    }
  });
});
