/**
 * Changes bytes on their way to the store and back: encryption at rest. Synchronous, because values must become visible
 * in the same turn as their revision; keys that come from elsewhere are fetched beforehand.
 * Upstream: k8s.io/apiserver/pkg/storage/value.Transformer
 */
export interface Transformer {
  /** `stale`: written with a key that is no longer the newest, so that the next update rewrites it even if nothing changed. */
  fromStorage(bytes: Uint8Array, key: string): { readonly bytes: Uint8Array; readonly stale: boolean };
  toStorage(bytes: Uint8Array, key: string): Uint8Array;
}

/** Stores bytes as they are. */
export const identityTransformer: Transformer = {
  fromStorage: (bytes) => ({ bytes, stale: false }),
  toStorage: (bytes) => bytes,
};
