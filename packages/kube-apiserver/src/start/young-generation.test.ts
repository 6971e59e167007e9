import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { withSmallYoungGeneration } from './young-generation.js';

/** Runs in a separate process with a fresh young generation. Prints its size in MiB, during the work and after it. */
const script = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { withSmallYoungGeneration } from ${JSON.stringify(new URL('./young-generation.ts', import.meta.url).href)};
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20;
  const allocate = () => {
    let kept = [];
    for (let i = 0; i < 1_000_000; i++) {
      kept.push({ i, list: [i] });
      if (kept.length > 40_000) kept = [];
    }
    return size();
  };
  const held = await withSmallYoungGeneration(async () => allocate());
  console.log(JSON.stringify([held, allocate()]));
`;

it('keeps the young generation from growing, and lets it grow afterwards', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const [held, after]: number[] = JSON.parse(printed);
  expect(held).toBeLessThanOrEqual(4);
  expect(after).toBeGreaterThan(8);
});

it('passes on why the start failed', async () => {
  await expect(withSmallYoungGeneration(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
