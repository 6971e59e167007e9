import { reportSoak, soakRounds, soakShare } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { churn, violations } from './churn.ts';

const { seconds, seeds } = soakRounds(soakShare());
/** One every five seconds. */
const restarts = Math.ceil(seconds / 5);

describe('watches keep their guarantees over many restarts and compactions', () => {
  it.each(seeds)('SOAK_SEED=%i', async (seed) => {
    const histories = await churn({ seed, milliseconds: seconds * 1000, restarts, compactionMs: 1_500 });
    const segments = [...histories.values()].flatMap((history) => history.segments);
    const refused = segments.filter(({ refusal }) => refusal);
    reportSoak(`seed ${seed}: ${segments.length} watches, ${refused.length} met a compaction, ${restarts} restarts`);
    expect(refused.length, 'compactions that a watch met').toBeGreaterThan(0);
    expect(violations(histories).slice(0, 20)).toEqual([]);
  });
});
