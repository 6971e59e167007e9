import { createPublicKey } from 'node:crypto';
import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import { quote } from '@apiserver/apimachinery/text';
import type { Logger } from '@apiserver/apiserver-contracts';
import { type KeySource, type VerificationKey, verificationKey } from '@apiserver/authentication';
import type { SignerClient } from './signer-client.js';
import { SignerError, signerErrorOf } from './signer-error.js';
import type { FetchedKey, FetchedKeys } from './signer-messages.js';
import type { SignerMetrics } from './signer-metrics.js';

/** Milliseconds until the next attempt after a failure. Upstream: fallbackRefreshDuration */
const FALLBACK_REFRESH_MS = 10_000;
/** Maximum length of the ID of a key. */
export const MAX_KEY_ID_BYTES = 1024;

/** Input of the keys. */
export interface ExternalKeysOptions {
  readonly client: Pick<SignerClient, 'fetchKeys'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: SignerMetrics;
  /** Ends the refreshes. */
  readonly signal: AbortSignal;
}

/**
 * The keys of an external signer. They are fetched again when the signer says so, and for a token of an unknown key.
 * Upstream: keyCache of pkg/serviceaccount/externaljwt/plugin
 */
export class ExternalKeys implements KeySource {
  readonly #options: ExternalKeysOptions;
  readonly #clock: Clock;
  #keys: readonly VerificationKey[] = [];
  #nextRefresh = 0;
  #fetching: Promise<void> | undefined;

  constructor(options: ExternalKeysOptions) {
    this.#options = options;
    this.#clock = durationClock(options.clock);
  }

  /** All keys. The list is another one after each fetch. */
  get all(): readonly VerificationKey[] {
    return this.#keys;
  }

  /** Seconds for which others may cache the keys. */
  get maxAgeSeconds(): number {
    return Math.max(0, Math.floor((this.#nextRefresh - this.#clock.now()) / 1_000));
  }

  /** Fetches the first keys, and goes on. Throws a SignerError. */
  async start(): Promise<void> {
    await this.fetch().catch((error: unknown) => {
      throw signerErrorOf('while initially filling key cache: while performing initial cache fill', error);
    });
    void this.#refreshAfter(this.#nextRefresh - this.#clock.now());
  }

  async keysOf(keyId: string): Promise<readonly VerificationKey[]> {
    const known = this.#find(keyId);
    if (known.length > 0) return known;
    const { logger } = this.#options;
    try {
      await this.fetch();
    } catch (error) {
      logger.error(error, 'Error while syncing keys');
      return [];
    }
    const found = this.#find(keyId);
    if (found.length === 0) logger.warning(`Key id ${quote(keyId)} not found after refresh`);
    return found;
  }

  /** Callers of one time share a fetch. Throws a SignerError. */
  fetch(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  #find(keyId: string): readonly VerificationKey[] {
    return keyId === '' ? this.#keys : this.#keys.filter((key) => key.keyId === keyId);
  }

  async #fetch(): Promise<void> {
    const { client, metrics } = this.#options;
    let failure: unknown;
    try {
      const fetched = await client.fetchKeys().catch((error: unknown) => {
        throw signerErrorOf('while getting externally supported jwt signing keys', error);
      });
      this.#keys = verificationKeys(fetched);
      this.#nextRefresh = this.#clock.now() + fetched.refreshHintSeconds * 1_000;
      metrics.keysAreOf(fetched.dataTimestamp ?? 0);
    } catch (error) {
      failure = error;
      throw signerErrorOf('while fetching token verification keys', error);
    } finally {
      metrics.fetchedKeys(failure);
    }
  }

  async #refreshAfter(milliseconds: number): Promise<void> {
    const { logger, signal } = this.#options;
    for (let pause = milliseconds; ; ) {
      await sleep(this.#clock, Math.max(pause, 0), signal);
      if (signal.aborted) return;
      try {
        await this.fetch();
        pause = this.#nextRefresh - this.#clock.now();
      } catch (error) {
        if (signal.aborted) return;
        logger.error(error, 'when syncing supported public keys(Stale set of keys will be supported)');
        pause = FALLBACK_REFRESH_MS;
      }
    }
  }
}

function verificationKeys({ keys, dataTimestamp, refreshHintSeconds }: FetchedKeys): readonly VerificationKey[] {
  if (refreshHintSeconds <= 0) throw new SignerError(`found invalid refresh hint (${refreshHintSeconds}s)`);
  if (keys.length === 0) throw new SignerError('found no keys');
  if (dataTimestamp === undefined) throw new SignerError('invalid data timestamp: proto: invalid nil Timestamp');
  return keys.map(externalKey);
}

function externalKey({ keyId, key, excludeFromDiscovery }: FetchedKey): VerificationKey {
  const length = Buffer.byteLength(keyId);
  if (length === 0 || length > MAX_KEY_ID_BYTES) throw new SignerError(`found invalid public key id ${quote(keyId)}`);
  if (key.length === 0) throw new SignerError('found empty public key');
  try {
    const made = verificationKey(createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' }));
    return { ...made, keyId, excludeFromDiscovery };
  } catch (error) {
    throw signerErrorOf('while parsing external public keys', error);
  }
}
