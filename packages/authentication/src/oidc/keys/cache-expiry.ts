import type { IncomingHttpHeaders } from 'node:http';

const HOUR = 60 * 60 * 1000;
/** Longest time that is taken out of Last-Modified. */
const HEURISTIC_MAX = 24 * HOUR;

/**
 * The time until which a response may be cached, in milliseconds since the epoch; `now` if it says nothing. As
 * upstream, no-store and no-cache change nothing: cached keys are then tried before they are fetched again.
 * Upstream: github.com/pquerna/cachecontrol, and its use in updateKeys of github.com/coreos/go-oidc/jwks.go
 */
export function cacheExpiry(headers: IncomingHttpHeaders, now: number): number {
  const directives = directivesOf(headers['cache-control'] ?? '');
  const seconds = directives.get('s-maxage') ?? directives.get('max-age');
  if (seconds !== undefined) return /^\d+$/.test(seconds) ? now + Number(seconds) * 1000 : now;
  const expires = Date.parse(headers.expires ?? '');
  if (!Number.isNaN(expires)) {
    const date = Date.parse(headers.date ?? '');
    return Math.max(now, now + expires - (Number.isNaN(date) ? now : date));
  }
  const modified = Date.parse(headers['last-modified'] ?? '');
  return Number.isNaN(modified) ? now : now + Math.max(0, Math.min(HEURISTIC_MAX, (now - modified) * 0.1));
}

function directivesOf(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',', 32).map((part) => {
    const [name = '', value = ''] = part.split('=', 2).map((side) => side.trim());
    return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')] as const;
  });
  return new Map(pairs);
}
