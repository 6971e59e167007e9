import { it } from 'vitest';
import { crashRounds } from '../testing/crash-rounds.js';

it('keeps every acknowledged write and repeats no revision when it is killed', async () => {
  await crashRounds({ goesOn: (rounds) => rounds < 4, random: Math.random });
});
