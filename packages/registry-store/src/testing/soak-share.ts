/** The share of one file in `npm run soak`. */
export interface SoakShare {
  /** Duration in seconds. */
  readonly seconds: number;
  /** Seed of its random numbers, in [0, 2^32). */
  readonly seed: number;
}

/** The share of the current file; without `npm run soak`, a minute and a random seed. */
export function soakShare(): SoakShare {
  return {
    seconds: Number(process.env['SOAK_SECONDS'] ?? 60),
    seed: Number(process.env['SOAK_SEED'] ?? Date.now()) % 2 ** 32,
  };
}

/**
 * Rounds of at most a minute that fill the share, each with its own seed. At least 20 seconds: a shorter round hardly
 * restarts and compacts a server.
 */
export function soakRounds({ seconds, seed }: SoakShare): { readonly seconds: number; readonly seeds: number[] } {
  const count = Math.max(1, Math.round(seconds / 60));
  return {
    seconds: Math.max(20, seconds / count),
    seeds: Array.from({ length: count }, (_, round) => (seed + round) % 2 ** 32),
  };
}

/** Reports a line of figures, which `npm run soak` prints below that of the file. */
export function reportSoak(figures: string): void {
  process.stdout.write(`soak: ${figures}\n`);
}

/** Reproducible numbers in [0, 1): mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
