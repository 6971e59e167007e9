import { expect, it } from 'vitest';
import { endlessUpdates } from '../testing/endless-updates.js';

const MIB = 1024 * 1024;

it.each([
  { objects: 10_000, size: 1024, seconds: 120, maxHistoryBytes: 64 * MIB, smallFile: 16 * MIB },
  // Objects many more than history: of what is overwritten a few records stay behind in each page.
  { objects: 50_000, size: 1024, seconds: 120, maxHistoryBytes: 8 * MIB, smallFile: 16 * MIB },
])('a data file stays within twice its content: $objects objects of $size bytes', async (load) => {
  const figures = await endlessUpdates(load);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(figures.worstRatio).toBeLessThan(2);
  // On a disk that others use as well every commit takes long.
  expect(figures.longStep).toBeLessThan(Math.max(50, 2 * figures.longCommit));
});
