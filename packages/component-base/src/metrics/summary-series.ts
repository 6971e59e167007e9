/** Quantiles of the last observations. */
export interface SummaryOptions {
  /** In (0, 1), ascending. */
  readonly quantiles: readonly number[];
  /** The age at which observations leave the quantiles, in milliseconds. Count and sum keep them. */
  readonly maxAge: number;
  /** The time of a monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** Observations leave in this many parts. Upstream: DefAgeBuckets of prometheus.SummaryOpts */
const AGE_BUCKETS = 5;

/** Values within 2 % of each other count as one: a quantile is off by 1 % at most. */
const LOG_GROWTH = Math.log(1.02);
/** The lowest magnitude, for values up to a billionth, and the number of magnitudes, up to a million. */
const LOWEST = Math.floor(Math.log(1e-9) / LOG_GROWTH);
const MAGNITUDES = Math.ceil(Math.log(1e6) / LOG_GROWTH) - LOWEST + 1;

/** Observations of one part of the time. */
interface AgeBucket {
  readonly period: number;
  /** By magnitude, from the lowest on. */
  readonly counts: Uint32Array;
}

/**
 * One label set of a summary. It counts values by their magnitude and keeps none of them, so an observation costs
 * little and memory stays bounded.
 */
export class SummarySeries {
  readonly #period: number;
  #current: AgeBucket = { period: Number.NEGATIVE_INFINITY, counts: new Uint32Array() };
  /** The oldest first; ends with the current one. */
  #buckets: AgeBucket[] = [];
  sum = 0;
  count = 0;

  constructor(maxAge: number) {
    this.#period = maxAge / AGE_BUCKETS;
  }

  /** Forgets all observations. */
  clear(): void {
    this.#current = { period: Number.NEGATIVE_INFINITY, counts: new Uint32Array() };
    this.#buckets = [];
    this.sum = 0;
    this.count = 0;
  }

  /** `now` never decreases. */
  observe(value: number, now: number): void {
    this.sum += value;
    this.count++;
    const period = Math.floor(now / this.#period);
    if (period !== this.#current.period) this.#begin(period);
    const { counts } = this.#current;
    const index = indexOf(value);
    counts[index] = (counts[index] ?? 0) + 1;
  }

  /** The values below which these shares of the observations lie; NaN without observations. */
  quantiles(shares: readonly number[], now: number): number[] {
    const oldest = Math.floor(now / this.#period) - AGE_BUCKETS;
    const counts = new Uint32Array(MAGNITUDES);
    for (const bucket of this.#buckets.filter(({ period }) => period > oldest)) {
      for (const [index, count] of bucket.counts.entries()) counts[index] = (counts[index] ?? 0) + count;
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    return shares.map((share) => valueAt(counts, Math.ceil(share * total)));
  }

  #begin(period: number): void {
    this.#current = { period, counts: new Uint32Array(MAGNITUDES) };
    const kept = this.#buckets.filter((bucket) => bucket.period > period - AGE_BUCKETS);
    this.#buckets = [...kept, this.#current];
  }
}

/** Zero, which has no logarithm, and all below the lowest magnitude belong to the lowest. */
function indexOf(value: number): number {
  const index = value > 0 ? Math.ceil(Math.log(value) / LOG_GROWTH) - LOWEST : 0;
  return Math.min(Math.max(index, 0), MAGNITUDES - 1);
}

/** The middle of the magnitude that has the observation of this rank, from 1; the lowest magnitude is 0. */
function valueAt(counts: Uint32Array, rank: number): number {
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    seen += count;
    if (count > 0 && seen >= rank) return index === 0 ? 0 : Math.exp((index + LOWEST - 0.5) * LOG_GROWTH);
  }
  return Number.NaN;
}
