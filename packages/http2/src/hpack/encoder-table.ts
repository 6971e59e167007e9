import { staticTable } from './static-table.js';

/** More fields do not fit: each counts 32 bytes at least. */
const SLOTS = 128;

/**
 * What an encoder knows of the table that the other side keeps: which of the fields it was told to remember are still in it.
 * A field is named by the number it got when it was added. Upstream: RFC 7541, section 4
 */
export class EncoderTable {
  readonly #sizes = new Uint16Array(SLOTS);
  #max: number;
  #bytes = 0;
  #added = 0;
  #oldest = 0;

  /** Of at most 4,096 bytes, as all later sizes. */
  constructor(max: number) {
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  /** Answers the number of the new field; the oldest ones make room for it. It must not be larger than the whole table. */
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

  /** The index by which a block refers to a field that is there. */
  indexOf(field: number): number {
    return staticTable().length + this.#added - field;
  }

  #evict(toBytes: number): void {
    while (this.#bytes > toBytes) this.#bytes -= this.#sizes[this.#oldest++ % SLOTS] as number;
  }
}
