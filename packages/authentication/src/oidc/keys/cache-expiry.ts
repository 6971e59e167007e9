import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpTime } from '@apiserver/apimachinery/values';

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
  const expires = parseHttpTime(headers.expires ?? '');
  if (expires !== undefined) return Math.max(now, now + expires - (parseHttpTime(headers.date ?? '') ?? now));
  const modified = parseHttpTime(headers['last-modified'] ?? '');
  return modified === undefined ? now : now + Math.max(0, Math.min(HEURISTIC_MAX, (now - modified) * 0.1));
}

function directivesOf(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',', 32).map((part) => {
    const [name = '', value = ''] = part.split('=', 2).map((side) => side.trim());
    return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')] as const;
  });
  return new Map(pairs);
}
