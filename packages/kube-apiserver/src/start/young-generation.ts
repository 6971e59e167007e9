import { setFlagsFromString } from 'node:v8';

/**
 * Runs `work` with a fixed size of V8's young generation. V8 would grow it by the high allocation rate of a start,
 * and never release these 4 MiB. Afterwards it grows normally. During `work` V8 rejects cached bytecode, because its
 * flags differ, and compiles the modules that it loads.
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
