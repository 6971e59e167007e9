import { findEtcd, NO_ETCD, reportSoak, soakRounds, soakShare } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { churn, violations } from './churn.ts';
import { ServersOnEtcd } from './servers-on-etcd.ts';

const { seconds, seeds } = soakRounds(soakShare());
/** One every five seconds. */
const restarts = Math.ceil(seconds / 5);
const start = (args: readonly string[]) => ServersOnEtcd.start(3, args);

describe.skipIf(findEtcd() === undefined)(`watches of three servers on one etcd (${NO_ETCD})`, () => {
  it.each(seeds)('SOAK_SEED=%i', async (seed) => {
    const histories = await churn({ seed, milliseconds: seconds * 1000, restarts, compactionMs: 1_500, start });
    const segments = [...histories.values()].flatMap((history) => history.segments);
    const refused = segments.filter(({ refusal }) => refusal);
    reportSoak(`seed ${seed}: ${segments.length} watches, ${refused.length} met a compaction, ${restarts} restarts`);
    expect(violations(histories).slice(0, 20)).toEqual([]);
  });
});
