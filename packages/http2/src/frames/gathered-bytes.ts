/** Number of parts that are kept separately in any case. */
const FREE_PARTS = 64;
/** Average size of a part, in bytes, from which on parts are kept separately. */
const PART_BYTES = 512;

/**
 * Collects parts, which may be views, into one buffer. Many small parts are joined early. A client that sends single
 * bytes therefore costs little more memory than the bytes themselves.
 */
export class GatheredBytes {
  #parts: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Number of parts that are kept. */
  get parts(): number {
    return this.#parts.length;
  }

  push(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#parts.length > FREE_PARTS + this.#length / PART_BYTES) this.#parts = [Buffer.concat(this.#parts)];
  }

  /** Returns all bytes and forgets them. A single part is not copied. */
  take(): Buffer {
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }
}
