/** An object that holds a discardable decoded object. */
interface Holder {
  readonly byteLength: number;
  forgetObject(): void;
  /** The same, but another holder of the decoded object may spare the next decoding. */
  releaseObject(): void;
}

/**
 * Bounds the decoded objects of all resources together: the least recently used are dropped. The measure is wire bytes;
 * a decoded object takes about four times as much.
 */
export class DecodedObjects {
  readonly #maxBytes: number;
  /** In order of use: a Map iterates in order of insertion. */
  readonly #held = new Map<Holder, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Call it on every use of a decoded object, including the first. */
  used(holder: Holder): void {
    const size = holder.byteLength;
    if (!this.#held.delete(holder)) this.#bytes += size;
    this.#held.set(holder, size);
    if (this.#bytes > this.#maxBytes) this.#shrink();
  }

  /**
   * Call it when an entry is replaced or deleted: a holder of it may decode it again, but the decoded object is not
   * kept.
   */
  drop(holder: Holder): void {
    const size = this.#held.get(holder);
    if (size === undefined) return;
    this.#held.delete(holder);
    this.#bytes -= size;
    holder.forgetObject();
  }

  /** The newest stays even if it is too large by itself: it is in use. */
  #shrink(): void {
    for (const [holder, size] of this.#held) {
      if (this.#bytes <= this.#maxBytes || this.#held.size === 1) return;
      this.#held.delete(holder);
      this.#bytes -= size;
      holder.releaseObject();
    }
  }
}
