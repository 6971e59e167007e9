import { exponentialBounds, type MetricsRegistry } from '@apiserver/component-base/metrics';
import type { EncryptionMetrics } from './encryption-metrics.js';

type EnvelopeMetrics = Pick<EncryptionMetrics, 'keyUsed' | 'keyIdSeen' | 'invalidKeyIdSeen' | 'keysKept' | 'kmsCalled'>;

/** From 0.1 ms to 52 s. */
const LATENCY_BOUNDS = exponentialBounds(0.0001, 20);

/** Metrics of KMS plugins. Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/envelope/metrics */
export function envelopeMetrics(
  registry: MetricsRegistry,
  server: { readonly apiserver_id_hash: string },
  now: () => number,
): EnvelopeMetrics {
  const prefix = 'apiserver_envelope_encryption';
  const latencies = registry.histogram(
    {
      name: `${prefix}_kms_operations_latency_seconds`,
      help: 'Duration of calls of KMS plugins in seconds, by method and code.',
      labels: ['provider_name', 'method_name', 'grpc_status_code'],
    },
    LATENCY_BOUNDS,
  );
  const cacheSize = registry.gauge({
    name: `${prefix}_dek_source_cache_size`,
    help: 'Cached data encryption keys. After a restart, the server decrypts about as many with the KMS plugin.',
    labels: ['provider_name'],
  });
  const invalid = registry.counter({
    name: `${prefix}_invalid_key_id_from_status_total`,
    help: 'Invalid key ids in the status of a KMS plugin, by error.',
    labels: ['provider_name', 'error'],
  });
  return {
    ...keyIdMetrics(registry, server, now),
    invalidKeyIdSeen: (provider_name, error) => {
      invalid.with({ provider_name, error }).value++;
    },
    keysKept: (provider_name, count) => {
      cacheSize.with({ provider_name }).value = count;
    },
    kmsCalled: (provider_name, method_name, grpc_status_code, seconds) =>
      latencies.with({ provider_name, method_name, grpc_status_code }).observe(seconds),
  };
}

function keyIdMetrics(
  registry: MetricsRegistry,
  server: { readonly apiserver_id_hash: string },
  now: () => number,
): Pick<EnvelopeMetrics, 'keyUsed' | 'keyIdSeen'> {
  const prefix = 'apiserver_envelope_encryption_key_id_hash';
  const seenLabels = ['provider_name', 'key_id_hash', 'apiserver_id_hash'] as const;
  const usedLabels = ['transformation_type', ...seenLabels] as const;
  const uses = registry.counter({
    name: `${prefix}_total`,
    help: 'Uses of a key of a KMS plugin, by transformation, provider and server.',
    labels: usedLabels,
  });
  const used = registry.gauge({
    name: `${prefix}_last_timestamp_seconds`,
    help: 'Time of the last use of this key id, in seconds since the epoch.',
    labels: usedLabels,
  });
  const seen = registry.gauge({
    name: `${prefix}_status_last_timestamp_seconds`,
    help: 'Time of the last status of a KMS plugin with this key id, in seconds since the epoch.',
    labels: seenLabels,
  });
  type UsedLabels = Parameters<typeof uses.with>[0];
  type SeenLabels = Parameters<typeof seen.with>[0];
  const recentlyUsed = new Recent<UsedLabels>((labels) => {
    uses.remove(labels);
    used.remove(labels);
  });
  const recentlySeen = new Recent<SeenLabels>((labels) => seen.remove(labels));
  return {
    keyUsed(transformation_type, provider_name, key_id_hash) {
      const key = `${transformation_type} ${provider_name} ${key_id_hash}`;
      const labels = recentlyUsed.touch(key, () => ({ transformation_type, provider_name, key_id_hash, ...server }));
      uses.with(labels).value++;
      used.with(labels).value = now() / 1000;
    },
    keyIdSeen: (provider_name, key_id_hash) => {
      const key = `${provider_name} ${key_id_hash}`;
      seen.with(recentlySeen.touch(key, () => ({ provider_name, key_id_hash, ...server }))).value = now() / 1000;
    },
  };
}

/** Upstream: cacheSize */
const MAX_KEY_IDS = 100;

/** Keeps the most recently used entries: keys come and go, and a metric must not remember them all. */
class Recent<T> {
  readonly #dropped: (value: T) => void;
  /** In order of use: a Map iterates in order of insertion. */
  readonly #values = new Map<string, T>();
  #last: string | undefined;

  constructor(dropped: (value: T) => void) {
    this.#dropped = dropped;
  }

  touch(key: string, make: () => T): T {
    const known = this.#values.get(key);
    if (known !== undefined && key === this.#last) return known;
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#last = key;
    const [oldest] = this.#values;
    if (this.#values.size > MAX_KEY_IDS && oldest !== undefined) {
      this.#values.delete(oldest[0]);
      this.#dropped(oldest[1]);
    }
    return value;
  }
}
