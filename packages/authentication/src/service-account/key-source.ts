import type { VerificationKey } from './public-keys.js';

/** The keys that verify service account tokens. Upstream: PublicKeysGetter in pkg/serviceaccount/jwt.go */
export interface KeySource {
  /** The keys of an id; all keys for "". A promise for keys that must be fetched first. */
  keysOf(keyId: string): readonly VerificationKey[] | Promise<readonly VerificationKey[]>;
}

/** Keys that never change. Upstream: StaticPublicKeysGetter in pkg/serviceaccount/jwt.go */
export function staticKeys(keys: readonly VerificationKey[]): KeySource {
  return { keysOf: (keyId) => (keyId === '' ? keys : keys.filter((key) => key.keyId === keyId)) };
}
