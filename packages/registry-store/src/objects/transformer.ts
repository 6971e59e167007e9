/** The result of a transformation from storage. */
export interface Transformed {
  readonly bytes: Uint8Array;
  /**
   * True if it was written with a key that is no longer the newest, so that the next update rewrites it even without
   * changes.
   */
  readonly stale: boolean;
}

/**
 * Transforms bytes to and from storage: encryption at rest. Failures are Errors whose message the client receives.
 * Upstream: k8s.io/apiserver/pkg/storage/value.Transformer
 */
export interface Transformer {
  /** True if a value never becomes stale, because there are no keys to rotate. Default: false. */
  readonly constant?: boolean;
  /**
   * Returns a promise only if a key must be fetched first: values become visible in the turn of their revision, and
   * bulk reads must not wait for each. Throws, or rejects.
   */
  fromStorage(bytes: Uint8Array, key: string): Transformed | Promise<Transformed>;
  /** Throws. */
  toStorage(bytes: Uint8Array, key: string): Uint8Array;
}

const ENCRYPTED = Buffer.from('k8s:enc:');

/** True for a value of one of the encrypting transformers. */
function isEncrypted(bytes: Uint8Array): boolean {
  // Protobuf also begins with "k8s".
  return bytes[3] === ENCRYPTED[3] && ENCRYPTED.equals(bytes.subarray(0, ENCRYPTED.length));
}

/**
 * Stores bytes unchanged. Throws for encrypted ones.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/identity
 */
export const identityTransformer: Transformer = {
  constant: true,
  fromStorage: (bytes) => {
    if (isEncrypted(bytes)) throw new Error('identity transformer tried to read encrypted data');
    return { bytes, stale: false };
  },
  toStorage: (bytes) => bytes,
};
