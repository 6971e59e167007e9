/** Parts that are kept one by one in any case. */
const FREE_PARTS = 64;
/** Bytes that a part should have on average, as each costs some beside its own. */
const PART_BYTES = 512;

/**
 * Bytes that come in parts, which may be views, to be had in one piece. Who sends them one by one does not make them cost much
 * more memory than they are: parts that are many and small are joined.
 */
export class GatheredBytes {
  #parts: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** How many parts are kept. */
  get parts(): number {
    return this.#parts.length;
  }

  push(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#parts.length > FREE_PARTS + this.#length / PART_BYTES) this.#parts = [Buffer.concat(this.#parts)];
  }

  /** All of them, which are no longer kept. A single part is not copied. */
  take(): Buffer {
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }
}
