/** Something that holds a parsed object it can do without. */
interface Holder {
  readonly byteLength: number;
  forgetObject(): void;
}

/**
 * Bounds the parsed objects of all resources together: those used longest ago are let go. The measure is wire bytes;
 * a parsed object takes about four times as much.
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

  /** Called on every use of a parsed object, the first included. */
  used(holder: Holder): void {
    const size = holder.byteLength;
    if (!this.#held.delete(holder)) this.#bytes += size;
    this.#held.set(holder, size);
    if (this.#bytes > this.#maxBytes) this.#shrink();
  }

  /** Called when an entry is replaced or deleted: who holds it may still ask, but nothing parsed lives as long as it. */
  drop(holder: Holder): void {
    const size = this.#held.get(holder);
    if (size === undefined) return;
    this.#held.delete(holder);
    this.#bytes -= size;
    holder.forgetObject();
  }

  /** The newest stays even if it is too large alone: it is in use. */
  #shrink(): void {
    for (const [holder, size] of this.#held) {
      if (this.#bytes <= this.#maxBytes || this.#held.size === 1) return;
      this.#held.delete(holder);
      this.#bytes -= size;
      holder.forgetObject();
    }
  }
}
