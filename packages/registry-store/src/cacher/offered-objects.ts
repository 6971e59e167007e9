/** An object with its bytes in the store. */
interface Offer<T> {
  readonly bytes: Uint8Array;
  readonly object: T;
}

/**
 * Objects that this process is writing, so that their changes need no decoding. They are known by the identity of their bytes:
 * a store in this process delivers the very bytes that it got.
 */
export class OfferedObjects<T> {
  /** Not a Map, as in WrittenEntries. Few writes are under way at a time. */
  readonly #offers: Offer<T>[] = [];

  /** Adds an object until the returned function is called. */
  add(bytes: Uint8Array, object: T): () => void {
    const offer = { bytes, object };
    this.#offers.push(offer);
    return () => {
      const at = this.#offers.indexOf(offer);
      if (at !== -1) this.#offers.splice(at, 1);
    };
  }

  /** The object of these bytes, if its write is under way. */
  of(bytes: Uint8Array): T | undefined {
    for (const offer of this.#offers) if (offer.bytes === bytes) return offer.object;
    return undefined;
  }
}
