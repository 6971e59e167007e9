import type { EncryptionMetrics } from '../../encryption/encryption-metrics.js';

/** Metrics as lines: `transformed secrets to_storage k8s:enc:aesgcm:v1: OK`. */
export interface RecordingMetrics extends EncryptionMetrics {
  readonly lines: string[];
}

/** Records all metrics, without times. */
export function recordingMetrics(): RecordingMetrics {
  const lines: string[] = [];
  const note = (...words: readonly unknown[]): void => {
    lines.push(words.join(' '));
  };
  return {
    lines,
    transformed: ({ resource, type, prefix, status }) => note('transformed', resource, type, prefix, status),
    keyMissed: () => note('keyMissed'),
    keyGenerated: () => note('keyGenerated'),
    keyUsed: (type, provider, hash) => note('keyUsed', type, provider, hash),
    keyIdSeen: (provider, hash) => note('keyIdSeen', provider, hash),
    invalidKeyIdSeen: (provider, error) => note('invalidKeyIdSeen', provider, error),
    keysKept: (provider, count) => note('keysKept', provider, count),
    kmsCalled: (provider, method, status) => note('kmsCalled', provider, method, status),
    configured: (hash) => note('configured', hash),
    reloaded: (status) => note('reloaded', status),
  };
}
