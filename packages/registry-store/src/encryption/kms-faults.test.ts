import { it } from 'vitest';
import { kmsFaultRounds } from '../testing/encryption/kms-fault-rounds.js';

it.each([1, 2, 3])(
  'a plugin that fails, is slow and rotates keys loses nothing acknowledged: seed %i',
  async (seed) => {
    await kmsFaultRounds(seed, (rounds) => rounds < 60);
  },
  60_000,
);
