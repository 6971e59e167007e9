/** What one file of `npm run soak` has been given of the whole. */
export interface SoakShare {
  /** How long it may take. */
  readonly seconds: number;
  /** What its random numbers follow from, in [0, 2^32). */
  readonly seed: number;
}

/** The share of the running file; alone, without `npm run soak`, a minute and a seed of its own. */
export function soakShare(): SoakShare {
  return {
    seconds: Number(process.env['SOAK_SECONDS'] ?? 60),
    seed: Number(process.env['SOAK_SEED'] ?? Date.now()) % 2 ** 32,
  };
}

/**
 * Rounds of at most a minute that fill the share, each with a seed of its own. At least 20 seconds: in less a server is hardly
 * restarted and compacted.
 */
export function soakRounds({ seconds, seed }: SoakShare): { readonly seconds: number; readonly seeds: number[] } {
  const count = Math.max(1, Math.round(seconds / 60));
  return {
    seconds: Math.max(20, seconds / count),
    seeds: Array.from({ length: count }, (_, round) => (seed + round) % 2 ** 32),
  };
}

/** A line of figures that `npm run soak` prints below that of the file. */
export function reportSoak(figures: string): void {
  process.stdout.write(`soak: ${figures}\n`);
}

/** Numbers in [0, 1) that the seed gives again: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
