import { compareHalves, type Halves, hashField } from './hash-field.js';

/** A range of hashes: `end` is not in it. Both are `0x` and 16 hexadecimal digits; 2^64 has 17. */
export interface ShardRange {
  readonly start: string;
  readonly end: string;
}

interface Range {
  readonly start: Halves;
  readonly end: Halves;
}

/**
 * A function that reports whether the hash of a value lies in one of the ranges. Ranges that touch are merged, so that
 * a look-up takes logarithmic time whatever a client asks for.
 * Upstream: shardSelector of k8s.io/apimachinery/pkg/sharding/selector.go
 */
export function shardMatcher(ranges: readonly ShardRange[]): (value: string) => boolean {
  const merged = mergedRanges(ranges.map(({ start, end }) => ({ start: halvesOf(start), end: halvesOf(end) })));
  return (value) => {
    const hash = hashField(value);
    let low = 0;
    let high = merged.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const range = merged[middle];
      if (range !== undefined && compareHalves(range.start, hash) <= 0) low = middle + 1;
      else high = middle;
    }
    const last = merged[low - 1];
    return last !== undefined && compareHalves(hash, last.end) < 0;
  };
}

/** In order, without overlaps. */
function mergedRanges(ranges: readonly Range[]): readonly Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((a, b) => compareHalves(a.start, b.start))) {
    const last = merged.at(-1);
    if (last === undefined || compareHalves(last.end, range.start) < 0) merged.push(range);
    else if (compareHalves(last.end, range.end) < 0) merged[merged.length - 1] = { start: last.start, end: range.end };
  }
  return merged;
}

function halvesOf(hexadecimal: string): Halves {
  return {
    high: Number(`0x0${hexadecimal.slice(2, -8)}`),
    low: Number(`0x${hexadecimal.slice(-8)}`),
  };
}
