/** One value encrypted or decrypted. */
export interface Transformation {
  /** `secrets`, `deployments.apps` */
  readonly resource: string;
  readonly type: 'from_storage' | 'to_storage';
  /** The prefix of the value; "identity" for one that was not encrypted. */
  readonly prefix: string;
  /** `OK`, the name of a gRPC code, or `unknown-non-grpc`. */
  readonly status: string;
}

/**
 * Metrics of encryption. Times are in seconds.
 * Upstream: k8s.io/apiserver/pkg/storage/value/metrics.go, encrypt/envelope/metrics, options/encryptionconfig/metrics
 */
export interface EncryptionMetrics {
  transformed(transformation: Transformation, seconds: number): void;
  /** A key had to be decrypted by a plugin. */
  keyMissed(): void;
  keyGenerated(seconds: number): void;
  keyUsed(type: Transformation['type'], provider: string, keyIdHash: string): void;
  keyIdSeen(provider: string, keyIdHash: string): void;
  invalidKeyIdSeen(provider: string, error: string): void;
  keysKept(provider: string, count: number): void;
  kmsCalled(provider: string, method: string, status: string, seconds: number): void;
  /** The configuration with this hash is in use now. */
  configured(contentHash: string): void;
  reloaded(status: 'success' | 'failure'): void;
}
