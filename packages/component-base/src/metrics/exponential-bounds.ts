/** Upper bounds of buckets, each twice the one before. Upstream: ExponentialBuckets of k8s.io/component-base/metrics */
export function exponentialBounds(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first * 2 ** i);
}
