const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * The reason why a token has expired, or undefined. A time that cannot be read counts as past.
 * Upstream: HasExpired of k8s.io/cluster-bootstrap/util/secrets
 */
export function hasExpired(expiration: string, now: number): string | undefined {
  if (expiration === '') return undefined;
  const time = RFC3339.test(expiration) ? Date.parse(expiration.replace(',', '.')) : Number.NaN;
  if (Number.isNaN(time)) return `has an unparseable expiration time (${expiration}). Treating as expired.`;
  return time <= now ? `has expired: ${expiration}` : undefined;
}
