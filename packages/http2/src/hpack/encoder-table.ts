import { staticTable } from './static-table.js';

/** Largest number of fields in the table: each counts at least 32 bytes. */
const SLOTS = 128;

/**
 * The encoder's copy of the peer's dynamic table, which tracks the fields still in it. A field is identified by the
 * number assigned when it was added. Upstream: RFC 7541, section 4
 */
export class EncoderTable {
  readonly #sizes = new Uint16Array(SLOTS);
  #max: number;
  #bytes = 0;
  #added = 0;
  #oldest = 0;

  /** Sizes are at most 4,096 bytes, here and later. */
  constructor(max: number) {
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  /** Adds a field, evicts the oldest ones as needed, and returns its number. The field must fit in the table. */
  add(size: number): number {
    this.#evict(this.#max - size);
    this.#bytes += size;
    this.#sizes[this.#added % SLOTS] = size;
    return this.#added++;
  }

  resize(max: number): void {
    this.#max = max;
    this.#evict(max);
  }

  has(field: number): boolean {
    return field >= this.#oldest;
  }

  /** The index of a field that is in the table. */
  indexOf(field: number): number {
    return staticTable().length + this.#added - field;
  }

  #evict(toBytes: number): void {
    while (this.#bytes > toBytes) this.#bytes -= this.#sizes[this.#oldest++ % SLOTS] as number;
  }
}
