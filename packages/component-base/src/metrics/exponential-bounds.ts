/**
 * Upper bounds of buckets, each a multiple of the one before, with its rounding errors.
 * Upstream: ExponentialBuckets of k8s.io/component-base/metrics
 */
export function exponentialBounds(first: number, count: number, factor = 2): readonly number[] {
  const bounds: number[] = [];
  for (let bound = first; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}
