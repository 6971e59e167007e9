import { reportSoak, soakRounds, soakShare } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { churnInformers } from './informers.ts';

const { seconds, seeds } = soakRounds(soakShare());
/** One every ten seconds. */
const outages = Math.ceil(seconds / 10);

describe('informers behind a bad line hold the present state after many restarts', () => {
  it.each(seeds)('SOAK_SEED=%i', async (seed) => {
    const options = { milliseconds: seconds * 1000, outages, compactionMs: 700, stallMs: 4_000, padding: 40_000 };
    const { outcomes, cuts, stalls } = await churnInformers({ seed, ...options });
    const events = outcomes.reduce((sum, outcome) => sum + outcome.events, 0);
    reportSoak(`seed ${seed}: ${events} events, ${cuts} lines cut, ${stalls} readers stalled, ${outages} outages`);
    for (const { watched, cache, list, lists } of outcomes) {
      expect({ watched, cache }).toEqual({ watched, cache: list });
      expect(lists).toBeGreaterThan(outages);
    }
  });
});
