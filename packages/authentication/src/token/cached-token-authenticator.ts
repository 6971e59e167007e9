import { createHmac, randomBytes } from 'node:crypto';
import { type Clock, ExpiringCache } from '@apiserver/apimachinery/clock';
import type { AuthenticationResponse, TokenAuthenticator, WarningRecorder } from '@apiserver/apiserver-contracts';

/** Entries that are kept: twice of what the largest cluster needs. Upstream: the size that newWithClock speaks of */
const MAX_ENTRIES = 32_768;

/** Told what a cache of tokens does. Upstream: k8s.io/apiserver/pkg/authentication/token/cache/stats.go */
export interface TokenCacheObserver {
  /** A token was looked up. */
  lookedUp(status: 'hit' | 'miss', milliseconds: number): void;
  /** A caller waits, or a look-up is under way: 1 more or 1 less. */
  active(status: 'blocked' | 'in_flight', change: 1 | -1): void;
  fetched(status: 'ok' | 'error'): void;
}

/** Times of a cache of tokens. */
export interface CachedTokenOptions {
  /** Milliseconds for which a known token stays known. */
  readonly successTtl: number;
  /** Milliseconds for which an unknown token stays unknown. Failures are never kept. */
  readonly failureTtl: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly observer?: TokenCacheObserver;
}

interface CachedResponse {
  readonly response: AuthenticationResponse | undefined;
  readonly warnings: readonly string[];
}

/**
 * Remembers the responses of an authenticator. Callers with one token at one time share one look-up. Tokens are kept as keyed
 * hashes alone.
 * Upstream: k8s.io/apiserver/pkg/authentication/token/cache
 */
export function cachedTokenAuthenticator(
  tokens: TokenAuthenticator,
  { successTtl, failureTtl, clock, observer }: CachedTokenOptions,
): TokenAuthenticator {
  const cache = new ExpiringCache<CachedResponse>(clock, MAX_ENTRIES);
  const underWay = new Map<string, Promise<CachedResponse>>();
  const secret = randomBytes(32);

  const fetch = async (key: string, token: string, audiences: readonly string[] | undefined) => {
    observer?.active('in_flight', 1);
    try {
      const warnings: string[] = [];
      const recorder: WarningRecorder = { warn: (text) => warnings.push(text) };
      const response = await tokens.authenticateToken(token, audiences, recorder);
      const entry = { response, warnings };
      cache.set(key, entry, response === undefined ? failureTtl : successTtl);
      observer?.fetched('ok');
      return entry;
    } catch (error) {
      observer?.fetched('error');
      throw error;
    } finally {
      observer?.active('in_flight', -1);
    }
  };

  const wait = async (key: string, token: string, audiences: readonly string[] | undefined) => {
    observer?.active('blocked', 1);
    try {
      let fetching = underWay.get(key);
      if (fetching === undefined) {
        fetching = fetch(key, token, audiences).finally(() => underWay.delete(key));
        underWay.set(key, fetching);
      }
      return await fetching;
    } finally {
      observer?.active('blocked', -1);
    }
  };

  return {
    async authenticateToken(token, audiences, recorder) {
      const started = clock.now();
      const key = keyOf(secret, token, audiences);
      const kept = cache.get(key);
      try {
        const { response, warnings } = kept ?? (await wait(key, token, audiences));
        if (response !== undefined) for (const warning of warnings) recorder?.warn(warning);
        return response;
      } finally {
        observer?.lookedUp(kept === undefined ? 'miss' : 'hit', clock.now() - started);
      }
    },
  };
}

/** JSON keeps the borders between token and audiences. */
function keyOf(secret: Uint8Array, token: string, audiences: readonly string[] | undefined): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([token, audiences ?? null]))
    .digest('latin1');
}
