import { expect, it } from 'vitest';
import { endlessUpdates } from '../testing/endless-updates.js';
import { reportSoak, seededRandom, soakShare } from '../testing/soak-share.js';

const MIB = 1024 * 1024;
const { seconds, seed } = soakShare();

it.each([
  { most: 2, objects: 10_000, size: 1024, maxHistoryBytes: 64 * MIB, smallFile: 16 * MIB },
  // Many more objects than history: each page keeps a few records of overwritten ones. See decision 0138.
  { most: 3.5, objects: 50_000, size: 1024, maxHistoryBytes: 8 * MIB, smallFile: 16 * MIB },
  // Values that span many pages leave holes of many sizes.
  { most: 2, objects: 500, size: 100 * 1024, maxHistoryBytes: 64 * MIB, smallFile: 16 * MIB },
  { most: 3.5, objects: 50_000, size: 1024, deletions: 0.5, maxHistoryBytes: 8 * MIB, smallFile: 16 * MIB },
])('a data file stays within $most times its content: $objects objects of $size bytes', async ({ most, ...load }) => {
  const figures = await endlessUpdates({ ...load, seconds: seconds / 4, random: seededRandom(seed) });
  reportSoak(`${load.objects} objects of ${load.size} bytes: ${JSON.stringify(figures)}`);
  expect(figures.worstRatio).toBeLessThan(most);
  // Writers wait for each step of the compaction: the records of a step count. Its time is that of the machine.
  expect(figures.largestStep).toBeLessThan(4);
});
