import { it } from 'vitest';
import { kmsFaultRounds } from '../testing/encryption/kms-fault-rounds.js';
import { reportSoak, soakRounds, soakShare } from '../testing/soak-share.js';

const { seconds, seeds } = soakRounds(soakShare());

it.each(seeds)('a plugin that fails, is slow and rotates keys loses nothing: SOAK_SEED=%i', async (seed) => {
  const end = performance.now() + seconds * 1000;
  const writes = await kmsFaultRounds(seed, (rounds) => rounds < 60 || performance.now() < end);
  reportSoak(`seed ${seed}: ${writes} encrypted writes are all there`);
});
