import { type Clock, durationClock, hasElapsed, inSlices, sleep } from '@apiserver/apimachinery/clock';
import { errorOf, messageOf } from '@apiserver/apimachinery/errors';
import { goField, isMembers } from '@apiserver/apimachinery/json';
import { parseJsonWebKeySteps, type VerifyingKey } from '../../jws/json-web-key.js';
import { TokenError } from '../../token-error.js';
import type { IssuerClient, IssuerResponse } from '../http/issuer-client.js';
import { IssuerError, mistyped } from '../http/issuer-error.js';
import { unreadableJson } from '../http/unreadable-json.js';
import { cacheExpiry } from './cache-expiry.js';

/** Keys are fetched again this long before they expire. Upstream: keysExpiryDelta of go-oidc */
const EXPIRY_DELTA = 30_000;
/** Shortest time between two fetches: tokens that no key verifies must not become as many requests to the issuer. */
const MIN_INTERVAL_MS = 1_000;
/** Longest pause after failures. The first one is the shortest time, and each is twice the one before. */
const MAX_BACKOFF_MS = 10_000;
/** Most keys of a set: each is imported, which takes time. */
const MAX_KEYS = 1_000;

/** Told of each fetch. */
export interface KeySetObserver {
  fetched(outcome: { readonly keySet: string } | 'failure'): void;
}

/** Input of a key set. */
export interface RemoteKeySetOptions {
  readonly url: string;
  readonly client: Pick<IssuerClient, 'get'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly observer?: KeySetObserver | undefined;
}

/**
 * The keys of an issuer. They are fetched when a token needs an unknown one, and kept as long as the issuer says; those
 * of an issuer that is down stay in use.
 * Upstream: remoteKeySet of github.com/coreos/go-oidc/jwks.go
 */
export class RemoteKeySet {
  readonly #options: RemoteKeySetOptions;
  readonly #clock: Clock;
  #keys: readonly VerifyingKey[] = [];
  #fetchedAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds after a fetch in which its keys are all that the issuer has. */
  #freshFor = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds after the end of a fetch in which no other one begins. */
  #pause = 0;
  #failures = 0;
  #lastFailure: Error | undefined;
  #fetching: Promise<readonly VerifyingKey[]> | undefined;

  constructor(options: RemoteKeySetOptions) {
    this.#options = options;
    this.#clock = durationClock(options.clock);
  }

  /** `verifies` tries a key. Throws an Error with upstream's message if no key verifies the token. */
  async verify(keyId: string, verifies: (key: VerifyingKey) => boolean): Promise<void> {
    const fits = (key: VerifyingKey) => (keyId === '' || key.keyId === keyId) && verifies(key);
    // Kept keys come first, even expired ones: the issuer may be down.
    if (await inSlices(searchSteps(this.#keys, fits))) return;
    if (!hasElapsed(this.#clock, this.#fetchedAt, this.#freshFor)) throw unverified();
    const keys = await this.#fresh().catch((error: unknown) => {
      throw new IssuerError(`fetching keys ${messageOf(error)}`, { cause: error });
    });
    if (!(await inSlices(searchSteps(keys, fits)))) throw unverified();
  }

  #fresh(): Promise<readonly VerifyingKey[]> {
    if (this.#fetching !== undefined) return this.#fetching;
    const isOver = hasElapsed(this.#clock, this.#endedAt, this.#pause);
    const pause = isOver ? 0 : this.#endedAt + this.#pause - this.#clock.now();
    if (pause > 0 && this.#lastFailure !== undefined) return Promise.reject(this.#lastFailure);
    this.#fetching = this.#fetchAfter(pause).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchAfter(pause: number): Promise<readonly VerifyingKey[]> {
    const { observer, signal } = this.#options;
    if (pause > 0) await sleep(this.#clock, pause, signal);
    signal.throwIfAborted();
    try {
      this.#keys = await this.#fetch();
      this.#failures = 0;
      this.#lastFailure = undefined;
      this.#pause = MIN_INTERVAL_MS;
      return this.#keys;
    } catch (error) {
      if (!signal.aborted) observer?.fetched('failure');
      this.#lastFailure = errorOf(error);
      this.#pause = Math.min(MAX_BACKOFF_MS, MIN_INTERVAL_MS * 2 ** this.#failures++);
      throw error;
    } finally {
      this.#endedAt = this.#clock.now();
    }
  }

  async #fetch(): Promise<readonly VerifyingKey[]> {
    const { url, client, clock, observer, signal } = this.#options;
    const response = await client.get(url).catch((error: unknown) => {
      throw new IssuerError(`oidc: get keys failed ${messageOf(error)}`, { cause: error });
    });
    if (response.code !== 200) {
      throw new IssuerError(`oidc: get keys failed: ${response.status} ${start(response.body)}`);
    }
    const keys = await keysOf(response).catch((error: unknown) => {
      throw new IssuerError(`oidc: failed to decode keys: ${unreadableJson(response, error)} ${start(response.body)}`);
    });
    const now = clock.now();
    this.#fetchedAt = this.#clock.now();
    this.#freshFor = cacheExpiry(response.headers, now) - now - EXPIRY_DELTA;
    if (!signal.aborted) observer?.fetched({ keySet: response.body });
    return keys;
  }
}

/** A token without a key's name is verified with each, which takes up to some milliseconds. */
function* searchSteps(keys: readonly VerifyingKey[], fits: (key: VerifyingKey) => boolean): Generator<void, boolean> {
  for (const key of keys) {
    if (fits(key)) return true;
    yield;
  }
  return false;
}

async function keysOf({ body }: IssuerResponse): Promise<readonly VerifyingKey[]> {
  const set: unknown = JSON.parse(body);
  if (set !== null && !isMembers(set)) throw mistyped(set, 'Go value of type jose.JSONWebKeySet');
  const values = goField(set ?? {}, 'keys') ?? [];
  if (!Array.isArray(values)) throw mistyped(values, 'Go struct field JSONWebKeySet.keys of type []jose.JSONWebKey');
  if (values.length > MAX_KEYS) throw new IssuerError(`more than ${MAX_KEYS} keys`);
  return await inSlices(keysSteps(values));
}

function* keysSteps(values: readonly unknown[]): Generator<void, readonly VerifyingKey[]> {
  const keys: VerifyingKey[] = [];
  for (const value of values) {
    keys.push(yield* parseJsonWebKeySteps(value));
    yield;
  }
  return keys;
}

/** Messages show the beginning of a body. Upstream shows all of it. */
function start(body: string): string {
  return body.length > 1_000 ? `${body.slice(0, 1_000)}…` : body;
}

function unverified(): TokenError {
  return new TokenError('failed to verify id token signature');
}
