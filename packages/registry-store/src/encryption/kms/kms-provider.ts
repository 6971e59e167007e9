import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, durationClock, hasElapsed } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { formatTime } from '@apiserver/apimachinery/values';
import type { Logger } from '@apiserver/apiserver-contracts';
import { hashIfNotEmpty } from '@apiserver/component-base/metrics';
import type { Transformer } from '../../objects/transformer.js';
import { extendedNonceGcmTransformer, SEED_SIZE } from '../ciphers/extended-nonce-gcm.js';
import { EncryptionError } from '../encryption-error.js';
import type { EncryptionMetrics } from '../encryption-metrics.js';
import { cacheKeyOf, encodeKeySource, keyIdFault, SourceType, validateKeySource } from './encrypted-object.js';
import { envelopeTransformer } from './envelope-transformer.js';
import type { KmsStatus } from './kms-messages.js';
import type { KmsService } from './kms-service.js';
import type { WriteKey } from './write-key.js';

const SECOND = 1000;
/** Intervals of polls: of a healthy plugin, and of an unhealthy one. */
const WELL_INTERVAL = 60 * SECOND;
const ILL_INTERVAL = 10 * SECOND;
/** Time after the last healthy status during which a key may write. */
const WRITE_KEY_TTL = 180 * SECOND;
/** Time for which a health result is cached. */
const WELL_TTL = 20 * SECOND;
const ILL_TTL = 3 * SECOND;
const VERSIONS = ['v2', 'v2beta1'];

/** Dependencies of `KmsProvider`. */
export interface KmsProviderOptions {
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  readonly metrics: EncryptionMetrics;
  readonly logger: Logger;
}

/**
 * A KMS plugin in use. It polls the plugin's health and key, and makes a new seed when the key changes. While the
 * plugin is unhealthy the seed continues to write for three minutes; its values stay readable.
 * Upstream: kmsv2PluginProbe of k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go
 */
export class KmsProvider {
  readonly transformer: Transformer;
  readonly #options: KmsProviderOptions;
  #writeKey: WriteKey | undefined;
  #version = '';
  #last: { readonly at: number; readonly error: Error | undefined; readonly ttl: number } | undefined;
  #checking: Promise<void> | undefined;
  readonly #cancels = new Set<() => void>();
  #closed = false;

  constructor(options: KmsProviderOptions) {
    this.#options = options;
    this.transformer = envelopeTransformer({ ...options, writeKey: () => this.#currentKey() });
  }

  /** Polls the plugin once, and periodically from then on. An unhealthy plugin is not an error: it may recover. */
  async start(): Promise<void> {
    const well = await this.#checkAndLog();
    if (!well) this.#retrySoon(() => {});
    this.#keepAsking();
  }

  /** Rejects with the fault of the plugin. Upstream: kmsv2PluginProbe.check */
  check(): Promise<void> {
    const last = this.#last;
    if (last !== undefined && !hasElapsed(durationClock(this.#options.clock), last.at, last.ttl)) {
      return last.error === undefined ? Promise.resolve() : Promise.reject(last.error);
    }
    this.#checking ??= this.#ask().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Stops polling, and aborts pending requests. Idempotent. */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#options.service.close();
  }

  #currentKey(): WriteKey {
    if (this.#writeKey === undefined) throw new EncryptionError('got unexpected nil transformer');
    return this.#writeKey;
  }

  async #ask(): Promise<void> {
    const { name, service, clock } = this.#options;
    try {
      const status = await service.status().catch((error: Error) => {
        const what = `failed to perform status section of the healthz check for KMS Provider ${name}, error`;
        throw new EncryptionError(`${what}: ${error.message}`, error);
      });
      await this.#takeUp(status);
      this.#last = { at: durationClock(clock).now(), error: undefined, ttl: WELL_TTL };
    } catch (error) {
      const failure = error instanceof Error ? error : new EncryptionError(String(error));
      this.#last = { at: durationClock(clock).now(), error: failure, ttl: ILL_TTL };
      throw failure;
    }
  }

  /** Upstream: isKMSv2ProviderHealthyAndMaybeRotateDEK */
  async #takeUp({ healthz, version, keyId }: KmsStatus): Promise<void> {
    const { name, metrics } = this.#options;
    const errors: string[] = [];
    if (healthz !== 'ok') errors.push(`got unexpected healthz status: ${healthz}`);
    errors.push(...this.#versionErrors(version));
    const fault = keyIdFault(keyId);
    if (fault === undefined) {
      metrics.keyIdSeen(name, hashIfNotEmpty(keyId));
      await this.#rotate(keyId).catch((error: Error) => errors.push(error.message));
    } else {
      metrics.invalidKeyIdSeen(name, fault.code);
      errors.push(`got invalid KMSv2 KeyID hash "${hashIfNotEmpty(keyId)}": ${fault.message}`);
    }
    if (errors.length > 0) {
      throw new EncryptionError(`kmsv2 Provider ${name} is not healthy, error: ${aggregateMessages(errors)}`);
    }
  }

  #versionErrors(version: string): readonly string[] {
    if (!VERSIONS.includes(version)) return [`expected KMSv2 API version v2, got ${version}`];
    this.#version ||= version;
    if (this.#version === version) return [];
    const what = 'KMSv2 API version should not change after the initial status response version';
    return [`${what} ${this.#version}, got ${version}`];
  }

  /** Upstream: rotateDEKOnKeyIDChange */
  async #rotate(statusKeyId: string): Promise<void> {
    const { clock, logger } = this.#options;
    const current = this.#writeKey;
    const expiresAt = clock.now() + WRITE_KEY_TTL;
    const expiry = { expiresAt, usableUntil: durationClock(clock).now() + WRITE_KEY_TTL };
    if (current?.keyId === statusKeyId) {
      this.#writeKey = { ...current, ...expiry };
      return;
    }
    const uid = randomUUID();
    let made: WriteKey | undefined;
    let failure = '<nil>';
    try {
      made = await this.#makeKey(uid, expiry);
    } catch (error) {
      failure = messageOf(error);
    }
    if (made?.keyId !== statusKeyId) {
      throw new EncryptionError(rotationFailure({ uid, failure, statusKeyId, made, current }));
    }
    this.#writeKey = made;
    const [newKeyIDHash, oldKeyIDHash] = [hashIfNotEmpty(made.keyId), hashIfNotEmpty(current?.keyId ?? '')];
    const expirationTimestamp = formatTime(expiresAt);
    logger
      .v(6)
      ?.info('successfully rotated DEK', { uid, useSeed: true, newKeyIDHash, oldKeyIDHash, expirationTimestamp });
  }

  /** Upstream: GenerateTransformer */
  async #makeKey(uid: string, expiry: Pick<WriteKey, 'expiresAt' | 'usableUntil'>): Promise<WriteKey> {
    const { service, logger } = this.#options;
    const seed = this.#makeSeed();
    logger.v(6)?.info('encrypting content using envelope service', { uid });
    const response = await service.encrypt(seed, uid).catch((error: Error) => {
      throw new EncryptionError(`failed to encrypt DEK, error: ${error.message}`, error);
    });
    const source = {
      keyId: response.keyId,
      encryptedSource: response.ciphertext,
      annotations: response.annotations,
      sourceType: SourceType.seed,
    };
    validateKeySource(source);
    const transformer = extendedNonceGcmTransformer(seed);
    return { ...source, transformer, encoded: encodeKeySource(source), cacheKey: cacheKeyOf(source), ...expiry };
  }

  #makeSeed(): Uint8Array {
    const started = performance.now();
    const seed = randomBytes(SEED_SIZE);
    this.#options.metrics.keyGenerated((performance.now() - started) / SECOND);
    return seed;
  }

  async #checkAndLog(): Promise<boolean> {
    const { name, logger } = this.#options;
    try {
      await this.check();
      return true;
    } catch (error) {
      if (!this.#closed) logger.v(2)?.error(error, 'kms plugin failed health check probe', { name });
      return false;
    }
  }

  #keepAsking(): void {
    this.#after(WELL_INTERVAL, async () => {
      if (await this.#checkAndLog()) this.#keepAsking();
      else this.#retrySoon(() => this.#keepAsking());
    });
  }

  #retrySoon(then: () => void): void {
    this.#after(ILL_INTERVAL, async () => {
      if (await this.#checkAndLog()) then();
      else this.#retrySoon(then);
    });
  }

  #after(milliseconds: number, work: () => Promise<void>): void {
    if (this.#closed) return;
    const cancel = this.#options.clock.schedule(() => {
      this.#cancels.delete(cancel);
      void work();
    }, milliseconds);
    this.#cancels.add(cancel);
  }
}

interface Rotation {
  readonly uid: string;
  readonly failure: string;
  readonly statusKeyId: string;
  readonly made: WriteKey | undefined;
  readonly current: WriteKey | undefined;
}

function rotationFailure({ uid, failure, statusKeyId, made, current }: Rotation): string {
  const errState = current === undefined ? 'got unexpected nil transformer' : '<nil>';
  const expiration = current === undefined ? '0001-01-01T00:00:00Z' : formatTime(current.expiresAt);
  return (
    `failed to rotate DEK uid="${uid}", useSeed=true, errState=${errState}, errGen=${failure}, ` +
    `statusKeyIDHash="${hashIfNotEmpty(statusKeyId)}", encryptKeyIDHash="${hashIfNotEmpty(made?.keyId ?? '')}", ` +
    `stateKeyIDHash="${hashIfNotEmpty(current?.keyId ?? '')}", expirationTimestamp=${expiration}`
  );
}
