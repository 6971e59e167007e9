import { identityKey, type ObjectIdentity } from './object-identity.js';

/** Upstream: NewReferenceCache(500) */
const MAX_OWNERS = 500;

/** Owners that are known to be absent. A UID is never used again, so that they stay absent. */
export class AbsentOwners {
  /** In order of use. */
  readonly #keys = new Set<string>();

  add(owner: ObjectIdentity): void {
    const key = identityKey(owner);
    this.#keys.delete(key);
    this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= MAX_OWNERS) return;
      this.#keys.delete(oldest);
    }
  }

  has(owner: ObjectIdentity): boolean {
    return this.#keys.has(identityKey(owner));
  }
}
