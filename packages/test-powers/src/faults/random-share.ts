/**
 * Draws from a reproducible sequence: true for about `rate` of the draws. The same seed gives the same draws on every
 * machine. Source: Mulberry32 by Tommy Ettinger
 */
export function randomShare(rate: number, seed: number): () => boolean {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 < rate;
  };
}
