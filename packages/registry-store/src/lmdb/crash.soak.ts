import { it } from 'vitest';
import { crashRounds } from '../testing/crash-rounds.js';
import { reportSoak, seededRandom, soakShare } from '../testing/soak-share.js';

it('keeps every acknowledged write and repeats no revision, however often it is killed', async () => {
  const { seconds, seed } = soakShare();
  const end = performance.now() + seconds * 1000;
  const goesOn = (rounds: number) => rounds < 5 || performance.now() < end;
  const { rounds, writes } = await crashRounds({ goesOn, random: seededRandom(seed) });
  reportSoak(`killed ${rounds} times, ${writes} acknowledged writes are all there`);
});
