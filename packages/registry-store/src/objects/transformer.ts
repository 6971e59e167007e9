/** What a value at rest stands for. */
export interface Transformed {
  readonly bytes: Uint8Array;
  /** Written with a key that is no longer the newest, so that the next update rewrites it even if nothing changed. */
  readonly stale: boolean;
}

/**
 * Changes bytes on their way to the store and back: encryption at rest. What cannot be done is an Error whose message the
 * client is told.
 * Upstream: k8s.io/apiserver/pkg/storage/value.Transformer
 */
export interface Transformer {
  /** What is not stale when it is read never becomes so: there are no keys that could be replaced. Default: false. */
  readonly constant?: boolean;
  /**
   * A promise only where a key has to be fetched first: values become visible in the turn of their revision, and reading
   * many must not wait for each. Throws, or rejects.
   */
  fromStorage(bytes: Uint8Array, key: string): Transformed | Promise<Transformed>;
  /** Throws. */
  toStorage(bytes: Uint8Array, key: string): Uint8Array;
}

const ENCRYPTED = Buffer.from('k8s:enc:');

/** True for a value that one of the encrypting transformers has written. */
export function isEncrypted(bytes: Uint8Array): boolean {
  // Everything in protobuf begins with "k8s" too.
  return bytes[3] === ENCRYPTED[3] && ENCRYPTED.equals(bytes.subarray(0, ENCRYPTED.length));
}

/**
 * Stores bytes as they are. Throws for what has been encrypted.
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
