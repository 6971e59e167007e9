import { hash, randomBytes } from 'node:crypto';
import { boundedByText, type Clock, durationClock, ExpiringCache } from '@apiserver/apimachinery/clock';
import type { AuthenticationResponse, TokenAuthenticator, TokenRecorder } from '@apiserver/apiserver-contracts';

/** Maximum number of entries: twice as many as the largest cluster needs. Upstream: the size that newWithClock speaks of */
const MAX_ENTRIES = 32_768;
/** Characters of all kept responses. A webhook may know users with very many groups. Upstream has no such bound. */
const MAX_KEPT = 32 * 2 ** 20;

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

/** A response with the notes of its look-up, which every use of the token repeats. */
interface CachedResponse {
  readonly response: AuthenticationResponse | undefined;
  readonly warnings: readonly string[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

/** Longest time of a look-up in milliseconds. Upstream: sharedLookupTimeout */
const LOOK_UP_TIMEOUT_MS = 30_000;

/**
 * Remembers the responses of an authenticator. Callers with one token at one time share one look-up. Tokens are kept as
 * keyed hashes alone.
 * Upstream: k8s.io/apiserver/pkg/authentication/token/cache
 */
export function cachedTokenAuthenticator(
  tokens: TokenAuthenticator,
  { successTtl, failureTtl, clock, observer }: CachedTokenOptions,
): TokenAuthenticator {
  const durations = durationClock(clock);
  const cache = new ExpiringCache<CachedResponse>(clock, MAX_ENTRIES, boundedByText(MAX_KEPT));
  const underWay = new Map<string, Promise<CachedResponse>>();
  const secret = randomBytes(32).toString('base64');

  const fetch = async (key: string, token: string, audiences: readonly string[] | undefined) => {
    observer?.active('in_flight', 1);
    try {
      const notes = new Notes();
      const response = await inTime(tokens.authenticateToken(token, audiences, notes));
      const entry = { response, warnings: notes.texts, annotations: notes.annotations };
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
      const started = durations.now();
      const key = keyOf(secret, token, audiences);
      const kept = cache.get(key);
      try {
        const found = kept ?? (await wait(key, token, audiences));
        if (found.response !== undefined) repeat(found, recorder);
        return found.response;
      } finally {
        observer?.lookedUp(kept === undefined ? 'miss' : 'hit', durations.now() - started);
      }
    },
  };
}

/** Collects the notes of a look-up. */
class Notes implements TokenRecorder {
  readonly texts: string[] = [];
  readonly annotations: (readonly [string, string])[] = [];
  readonly warnings = { warn: (text: string) => void this.texts.push(text) };
  readonly audit = { annotate: (key: string, value: string) => void this.annotations.push([key, value]) };
}

function repeat({ warnings, annotations }: CachedResponse, recorder: TokenRecorder | undefined): void {
  for (const [key, value] of annotations) recorder?.audit?.annotate(key, value);
  for (const warning of warnings) recorder?.warnings?.warn(warning);
}

/** A look-up that hangs must not keep the token's later requests waiting. */
async function inTime(looking: Promise<AuthenticationResponse | undefined>) {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('context deadline exceeded')), LOOK_UP_TIMEOUT_MS);
  timer.unref();
  try {
    return await Promise.race([looking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON of the audiences has no line break, so that the token begins after the first one. */
function keyOf(secret: string, token: string, audiences: readonly string[] | undefined): string {
  const names = audiences === undefined ? 'null' : JSON.stringify(audiences);
  return hash('sha256', `${secret}${names}\n${token}`, 'latin1');
}
