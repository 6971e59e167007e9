import { describe, expect, it } from 'vitest';
import { churn, violations } from './churn.ts';

const first = Number(process.env['WATCH_SEED'] ?? Date.now() % 2 ** 32);
const rounds = Number(process.env['WATCH_ROUNDS'] ?? 10);

describe('watches keep their guarantees over many restarts and compactions', () => {
  it.each(Array.from({ length: rounds }, (_, round) => (first + round) % 2 ** 32))('WATCH_SEED=%i', async (seed) => {
    const histories = await churn({ seed, milliseconds: 60_000, restarts: 12, compactionMs: 1_500 });
    const refused = [...histories.values()].flatMap(({ segments }) => segments.filter(({ refusal }) => refusal));
    expect(refused.length, 'compactions that a watch met').toBeGreaterThan(0);
    expect(violations(histories).slice(0, 20)).toEqual([]);
  });
});
