import { expect, it } from 'vitest';
import { endlessUpdates } from '../testing/endless-updates.js';

it('a data file stays small under endless updates and shrinks after deletions, without loss', async () => {
  const figures = await endlessUpdates({
    objects: 800,
    size: 1000,
    seconds: 3,
    maxHistoryBytes: 200_000,
    smallFile: 200_000,
    maxRatio: 1.75,
    // Small as the file: LMDB reuses what a commit of a half freed two commits later.
    journalHalf: 32 * 1024,
  });
  expect(figures.rewrites).toBeGreaterThan(0);
  // During the rewrite of so small a file, more is written to it than it contains; the soak test is stricter.
  expect(figures.worstRatio).toBeLessThan(4);
});
