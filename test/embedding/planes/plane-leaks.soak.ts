import { expect, it } from 'vitest';
import { leaksOfPlanes } from './plane-leaks.ts';

const STARTS = 1_000;
/** For all of them. The heap of one process differs by so much from run to run. */
const LARGEST_GROWTH_MIB = 20;

it(`${STARTS} planes leave no handle, file or memory`, { timeout: 3_600_000 }, async () => {
  const { heapMiB, ...left } = await leaksOfPlanes(STARTS);
  expect(left).toEqual({ resources: [], openFiles: 0, files: [] });
  expect(heapMiB).toBeLessThan(LARGEST_GROWTH_MIB);
});
