import { randomUUID } from 'node:crypto';
import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import { formatTime } from '@apiserver/apimachinery/values';
import { currentSpan, type Logger, type TraceSpan } from '@apiserver/apiserver-contracts';
import { hashIfNotEmpty } from '@apiserver/component-base/metrics';
import type { Transformed, Transformer } from '../../objects/transformer.js';
import { aesGcmTransformer } from '../ciphers/aes-gcm.js';
import { extendedNonceGcmTransformer } from '../ciphers/extended-nonce-gcm.js';
import { EncryptionError } from '../encryption-error.js';
import type { EncryptionMetrics } from '../encryption-metrics.js';
import { DataKeyCache } from './data-key-cache.js';
import {
  cacheKeyOf,
  decodeEncryptedObject,
  type EncryptedObject,
  encodeEncryptedObject,
  SourceType,
} from './encrypted-object.js';
import type { KmsService } from './kms-service.js';
import type { WriteKey } from './write-key.js';

/** Dependencies of `envelopeTransformer`. */
export interface EnvelopeOptions {
  readonly name: string;
  readonly service: Pick<KmsService, 'decrypt'>;
  /** Throws while there is none. */
  readonly writeKey: () => WriteKey;
  readonly clock: Clock;
  readonly metrics: EncryptionMetrics;
  readonly logger: Logger;
}

/**
 * Values that are encrypted with keys stored beside them, which a plugin has encrypted. Reads ask the plugin to decrypt
 * unknown keys, once for each; writes never do.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2/envelope.go
 */
export function envelopeTransformer(options: EnvelopeOptions): Transformer {
  return new EnvelopeTransformer(options);
}

class EnvelopeTransformer implements Transformer {
  readonly #options: EnvelopeOptions;
  readonly #keys: DataKeyCache;
  /** Pending requests to the plugin, by key. */
  readonly #pending = new Map<string, Promise<Transformer>>();
  readonly #hashes = new Map<string, string>();

  constructor(options: EnvelopeOptions) {
    this.#options = options;
    const { clock, metrics, name } = options;
    this.#keys = new DataKeyCache(clock, (count) => metrics.keysKept(name, count));
  }

  toStorage(bytes: Uint8Array, key: string): Uint8Array {
    const { clock, writeKey } = this.#options;
    const current = writeKey();
    const isExpired = durationClock(clock).now() > current.usableUntil;
    if (isExpired) throw new EncryptionError(expiredText(current, clock.now()));
    this.#keys.set(current.cacheKey, current.transformer);
    const span = this.#startSpan('TransformToStorage');
    try {
      span?.addEvent('About to encrypt data using DEK');
      const data = current.transformer.toStorage(bytes, key);
      span?.addEvent('Data encryption succeeded');
      this.#count('to_storage', current.keyId);
      return encodeEncryptedObject(data, current.encoded);
    } finally {
      span?.end();
    }
  }

  #startSpan(operation: string): TraceSpan | undefined {
    const attributes = { 'transformer.provider.name': this.#options.name };
    return currentSpan()?.start(`${operation} with envelopeTransformer`, attributes);
  }

  fromStorage(stored: Uint8Array, key: string): Transformed | Promise<Transformed> {
    const span = this.#startSpan('TransformFromStorage');
    if (span === undefined) return this.#fromStorage(stored, key, undefined);
    let result: Transformed | Promise<Transformed>;
    try {
      result = this.#fromStorage(stored, key, span);
    } catch (error) {
      span.end();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => span.end());
    span.end();
    return result;
  }

  #fromStorage(stored: Uint8Array, key: string, span: TraceSpan | undefined): Transformed | Promise<Transformed> {
    span?.addEvent('About to decode encrypted object');
    const object = decodeEncryptedObject(stored);
    span?.addEvent('Decoded encrypted object');
    // Reads may use a key that can no longer write, but not before there was any.
    const current = this.#options.writeKey();
    const cacheKey = cacheKeyOf(object);
    const known = this.#keys.get(cacheKey);
    const read = (transformer: Transformer): Transformed | Promise<Transformed> => {
      this.#count('from_storage', object.keyId);
      span?.addEvent('About to decrypt data using DEK');
      const plain = transformer.fromStorage(object.encryptedData, key);
      span?.addEvent('Data decryption succeeded');
      return plain instanceof Promise ? plain : { bytes: plain.bytes, stale: isStale(object, current) };
    };
    if (known !== undefined) return read(known);
    span?.addEvent('About to decrypt DEK using remote service');
    return this.#fetch(cacheKey, object).then((transformer) => {
      span?.addEvent('DEK decryption succeeded');
      return read(transformer);
    });
  }

  #fetch(cacheKey: string, object: EncryptedObject): Promise<Transformer> {
    const pending =
      this.#pending.get(cacheKey) ?? this.#ask(cacheKey, object).finally(() => this.#pending.delete(cacheKey));
    this.#pending.set(cacheKey, pending);
    return pending;
  }

  async #ask(
    cacheKey: string,
    { encryptedSource, keyId, annotations, sourceType }: EncryptedObject,
  ): Promise<Transformer> {
    const { metrics, service, logger } = this.#options;
    const uid = randomUUID();
    metrics.keyMissed();
    logger.v(6)?.info('decrypting content using envelope service', { uid });
    const ciphertext = { ciphertext: encryptedSource, keyId, annotations };
    const source = await service.decrypt(ciphertext, uid).catch((error: Error) => {
      throw new EncryptionError(`failed to decrypt DEK, error: ${error.message}`, error);
    });
    const transformer =
      sourceType === SourceType.seed ? extendedNonceGcmTransformer(source) : aesGcmTransformer(source);
    this.#keys.set(cacheKey, transformer);
    return transformer;
  }

  #count(type: 'from_storage' | 'to_storage', keyId: string): void {
    const { metrics, name } = this.#options;
    let hash = this.#hashes.get(keyId);
    if (hash === undefined) {
      hash = hashIfNotEmpty(keyId);
      this.#hashes.set(keyId, hash);
    }
    metrics.keyUsed(type, name, hash);
  }
}

function isStale(object: EncryptedObject, current: WriteKey): boolean {
  return object.keyId !== current.keyId || object.sourceType !== current.sourceType;
}

function expiredText({ keyId, expiresAt }: WriteKey, now: number): string {
  return (
    `encryptedDEKSource with keyID hash "${hashIfNotEmpty(keyId)}" expired at ${formatTime(expiresAt)} ` +
    `(current time is ${formatTime(now)})`
  );
}
