import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { Transformed, Transformer } from '../objects/transformer.js';
import { EncryptionError, statusOf } from './encryption-error.js';
import type { EncryptionMetrics, Transformation } from './encryption-metrics.js';

/** A transformer for values with a prefix; every value has the prefix "". */
export interface PrefixTransformer {
  readonly prefix: string;
  readonly transformer: Transformer;
}

/** The transformers of one resource, in the order of its configuration. */
export interface PrefixTransformersOptions {
  readonly transformers: readonly PrefixTransformer[];
  /** The error of a value without any of the prefixes. */
  readonly noMatch: string;
  readonly resource: string;
  readonly metrics: EncryptionMetrics;
  readonly logger: Logger;
}

/**
 * Combines transformers: the first one writes, with its prefix before the value. The one that recognises a value reads
 * it, and reports it as stale unless it is the first. A prefix may occur more than once, with different keys.
 * Upstream: k8s.io/apiserver/pkg/storage/value/transformer.go (NewPrefixTransformers)
 */
export function prefixTransformers(options: PrefixTransformersOptions): Transformer {
  return new PrefixTransformers(options);
}

interface Candidate extends PrefixTransformer {
  readonly bytes: Buffer;
}

class PrefixTransformers implements Transformer {
  readonly #options: PrefixTransformersOptions;
  readonly #candidates: readonly Candidate[];

  constructor(options: PrefixTransformersOptions) {
    this.#options = options;
    this.#candidates = options.transformers.map((one) => ({ ...one, bytes: Buffer.from(one.prefix) }));
  }

  toStorage(bytes: Uint8Array, key: string): Uint8Array {
    const started = performance.now();
    const [first] = this.#candidates;
    if (first === undefined) throw new TypeError('there is no transformer to write with');
    try {
      const stored = Buffer.concat([first.bytes, first.transformer.toStorage(bytes, key)]);
      this.#count('to_storage', first.prefix, started);
      return stored;
    } catch (error) {
      this.#count('to_storage', first.prefix, started, error);
      this.#log(error, 'failed to encrypt data', key);
      throw error;
    }
  }

  fromStorage(bytes: Uint8Array, key: string): Transformed | Promise<Transformed> {
    return this.#read({ bytes, key, started: performance.now(), errors: [] }, 0);
  }

  #read(value: Value, from: number): Transformed | Promise<Transformed> {
    for (let i = from; i < this.#candidates.length; i++) {
      const candidate = this.#candidates[i];
      if (candidate === undefined || !startsWith(value.bytes, candidate.bytes)) continue;
      try {
        const rest = value.bytes.subarray(candidate.bytes.length);
        const read = candidate.transformer.fromStorage(rest, value.key);
        if (!(read instanceof Promise)) return this.#succeed(value, candidate, read, i);
        return read.then(
          (late) => this.#succeed(value, candidate, late, i),
          (error: unknown) => {
            this.#fail(value, candidate, error);
            return this.#read(value, i + 1);
          },
        );
      } catch (error) {
        this.#fail(value, candidate, error);
      }
    }
    throw this.#unread(value);
  }

  #succeed({ started }: Value, { prefix }: Candidate, { bytes, stale }: Transformed, index: number): Transformed {
    this.#count('from_storage', prefix, started);
    return { bytes, stale: stale || index > 0 };
  }

  /** One without a prefix is tried before more specific ones; its failures are not reported. */
  #fail({ started, errors }: Value, { prefix }: Candidate, error: unknown): void {
    if (prefix === '') return;
    this.#count('from_storage', prefix, started, error);
    errors.push(error);
  }

  #unread({ started, errors, key }: Value): Error {
    const [first] = errors;
    if (first !== undefined) {
      const failure = new EncryptionError(aggregateMessages(errors.map(messageOf)), first);
      this.#log(failure, 'failed to decrypt data', key);
      return failure;
    }
    const error = new EncryptionError(this.#options.noMatch);
    this.#count('from_storage', 'unknown', started, error);
    return error;
  }

  /** Upstream: logTransformErr */
  #log(error: unknown, message: string, key: string): void {
    const { logger, resource } = this.#options;
    logger.error(error, message, { resource, key });
  }

  #count(type: Transformation['type'], prefix: string, started: number, error?: unknown): void {
    const { resource, metrics } = this.#options;
    const status = error === undefined ? 'OK' : statusOf(error);
    const shown = prefix === '' && type === 'from_storage' ? 'identity' : prefix;
    metrics.transformed({ resource, type, prefix: shown, status }, (performance.now() - started) / 1000);
  }
}

/** A value during a read, and the errors of the transformers so far. */
interface Value {
  readonly bytes: Uint8Array;
  readonly key: string;
  readonly started: number;
  readonly errors: unknown[];
}

function startsWith(bytes: Uint8Array, prefix: Buffer): boolean {
  return prefix.equals(bytes.subarray(0, prefix.length));
}
