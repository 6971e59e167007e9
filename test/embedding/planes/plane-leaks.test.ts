import { expect, it } from 'vitest';
import { leaksOfPlanes } from './plane-leaks.ts';

/** A plane that stays in memory has 2.4 MiB. */
const LARGEST_GROWTH_MIB = 10;

it('50 planes leave no handle, file or memory', { timeout: 300_000 }, async () => {
  const { heapMiB, ...left } = await leaksOfPlanes(50);
  expect(left).toEqual({ resources: [], openFiles: 0, files: [] });
  expect(heapMiB).toBeLessThan(LARGEST_GROWTH_MIB);
});
