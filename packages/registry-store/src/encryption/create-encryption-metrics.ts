import { exponentialBounds, hashIfNotEmpty, type MetricsRegistry } from '@apiserver/component-base/metrics';
import type { EncryptionMetrics } from './encryption-metrics.js';
import { envelopeMetrics } from './envelope-metrics.js';

const OPERATIONS_HELP =
  "Total number of transformations. Successful transformation will have a status 'OK' and a varied status string when the " +
  'transformation fails. The status, resource, and transformation_type fields can be used for alerting purposes. For ' +
  'example, you can monitor for encryption/decryption failures using the transformation_type (e.g., from_storage for ' +
  'decryption and to_storage for encryption). Additionally, these fields can be used to ensure that the correct ' +
  'transformers are applied to each resource.';

/** The server that is measured, and its clock. */
export interface EncryptionMetricsOptions {
  /** Its hash is a label. */
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Counts with upstream's names and labels.
 * Upstream: k8s.io/apiserver/pkg/storage/value/metrics.go, options/encryptionconfig/metrics
 */
export function createEncryptionMetrics(
  registry: MetricsRegistry,
  options: EncryptionMetricsOptions,
): EncryptionMetrics {
  const { serverId } = options;
  const hash = { apiserver_id_hash: hashIfNotEmpty(serverId) };
  return {
    ...transformationMetrics(registry),
    ...reloadMetrics(registry, hash, options.now),
    ...envelopeMetrics(registry, hash, options.now),
  };
}

/** The label by which servers are told apart. */
interface ServerLabel {
  readonly apiserver_id_hash: string;
}

function transformationMetrics(
  registry: MetricsRegistry,
): Pick<EncryptionMetrics, 'transformed' | 'keyMissed' | 'keyGenerated'> {
  const operations = registry.counter({
    name: 'apiserver_storage_transformation_operations_total',
    help: OPERATIONS_HELP,
    labels: ['resource', 'transformation_type', 'transformer_prefix', 'status'],
  });
  const durations = registry.histogram(
    {
      name: 'apiserver_storage_transformation_duration_seconds',
      help: 'Time to encrypt or decrypt a value, in seconds.',
      labels: ['transformation_type', 'transformer_prefix'],
    },
    exponentialBounds(5e-6, 25),
  );
  const misses = registry.counter({
    name: 'apiserver_storage_envelope_transformation_cache_misses_total',
    help: 'Uses of a key encryption key that was not cached.',
    labels: [],
  });
  const generations = registry.histogram(
    {
      name: 'apiserver_storage_data_key_generation_duration_seconds',
      help: 'Time to generate a data encryption key, in seconds.',
      labels: [],
    },
    exponentialBounds(5e-6, 14),
  );
  const failures = registry.counter({
    name: 'apiserver_storage_data_key_generation_failures_total',
    help: 'Data encryption keys that could not be generated.',
    labels: [],
  });
  // Random bytes never fail to come, in Node as in Go: the second stays.
  for (const family of [misses, failures]) family.with({}).value = 0;
  generations.with({});
  return {
    transformed({ resource, type, prefix, status }, seconds) {
      const labels = { transformation_type: type, transformer_prefix: prefix };
      operations.with({ ...labels, resource, status }).value++;
      if (status === 'OK') durations.with(labels).observe(seconds);
    },
    keyMissed: () => {
      misses.with({}).value++;
    },
    keyGenerated: (seconds) => generations.with({}).observe(seconds),
  };
}

function reloadMetrics(
  registry: MetricsRegistry,
  server: ServerLabel,
  now: () => number,
): Pick<EncryptionMetrics, 'configured' | 'reloaded'> {
  const prefix = 'apiserver_encryption_config_controller';
  const reloads = registry.counter({
    name: `${prefix}_automatic_reloads_total`,
    help: 'Reloads of the encryption configuration, by result and server.',
    labels: ['status', 'apiserver_id_hash'],
  });
  const times = registry.gauge({
    name: `${prefix}_automatic_reload_last_timestamp_seconds`,
    help: 'Time of the last reload of the encryption configuration, by result and server.',
    labels: ['status', 'apiserver_id_hash'],
  });
  let hash = '';
  registry.collect({
    name: `${prefix}_last_config_info`,
    help: 'The hash of the applied encryption configuration, by server.',
    type: 'gauge',
    samples: () => (hash === '' ? [] : [{ labels: { ...server, hash }, value: 1 }]),
  });
  return {
    configured: (contentHash) => {
      hash = contentHash;
    },
    reloaded: (status) => {
      reloads.with({ ...server, status }).value++;
      times.with({ ...server, status }).value = now() / 1000;
    },
  };
}
