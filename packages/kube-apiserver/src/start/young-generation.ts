import { setFlagsFromString } from 'node:v8';

/**
 * Runs `work` with a fixed size of V8's young generation. Most allocations of a start are short-lived or permanent, but
 * V8 grows on that rate: 4 MiB that would not be given back. Afterwards it grows normally. During `work` V8 rejects
 * cached bytecode, because its flags differ: modules that it loads are compiled.
 */
export async function withSmallYoungGeneration<T>(work: () => Promise<T>): Promise<T> {
  setGrowthFactor(1);
  try {
    return await work();
  } finally {
    setGrowthFactor(DEFAULT_GROWTH_FACTOR);
  }
}

/** V8's own default. */
const DEFAULT_GROWTH_FACTOR = 2;

/** V8 reads the flag at each collection; a V8 without it reports that on stderr and continues. */
function setGrowthFactor(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
