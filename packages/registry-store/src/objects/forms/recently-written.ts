import { detached } from '../../own-copy.js';

interface Written<V> {
  readonly bytes: Uint8Array;
  readonly hash: number;
  value: V | undefined;
}

/** More than are ever in transit. */
const KEPT = 256;
/** Maximum size of an entry: larger ones are rare, and take much memory. */
const MAX_BYTES = 64 * 1024;
/** Maximum size of all entries, excluding the derived values. */
const MAX_ALL_BYTES = 1024 * 1024;
/** Contains the name and the uid. */
const HASHED_BYTES = 256;

/**
 * Recently written bytes with their derived values. They come back unchanged, first to the writer and again with the
 * watch event of the write, and need not be decoded each time.
 */
export class RecentlyWritten<V> {
  readonly #detach: (value: V) => V;
  /** A ring; a Map with a high throughput retains removed entries. */
  readonly #ring: (Written<V> | undefined)[] = new Array(KEPT);
  #next = 0;
  /** Number of kept entries, the newest before `#next`, and their bytes. */
  #count = 0;
  #bytes = 0;

  /** `detach` returns a value to keep, which refers to no shared memory. */
  constructor(detach: (value: V) => V) {
    this.#detach = detach;
  }

  /** `make` is called once for all reads of these bytes in the near future. */
  add(bytes: Uint8Array): void {
    if (bytes.length > MAX_BYTES) return;
    while (this.#count === KEPT || (this.#count > 0 && this.#bytes + bytes.length > MAX_ALL_BYTES)) this.#dropOldest();
    this.#ring[this.#next] = { bytes: detached(bytes), hash: hashOf(bytes), value: undefined };
    this.#next = (this.#next + 1) % KEPT;
    this.#count++;
    this.#bytes += bytes.length;
  }

  /** The result of `make` for the bytes, or the cached one. */
  valueOf(bytes: Uint8Array, make: (bytes: Uint8Array) => V): V {
    const written = this.#find(bytes);
    if (written === undefined) return make(bytes);
    written.value ??= this.#detach(make(bytes));
    return written.value;
  }

  #dropOldest(): void {
    const at = (this.#next - this.#count + KEPT) % KEPT;
    this.#bytes -= this.#ring[at]?.bytes.length ?? 0;
    this.#ring[at] = undefined;
    this.#count--;
  }

  /** Searches from the newest. */
  #find(bytes: Uint8Array): Written<V> | undefined {
    if (bytes.length > MAX_BYTES) return undefined;
    const hash = hashOf(bytes);
    for (let back = 1; back <= this.#count; back++) {
      const written = this.#ring[(this.#next - back + KEPT) % KEPT];
      if (written?.hash === hash && Buffer.compare(written.bytes, bytes) === 0) return written;
    }
    return undefined;
  }
}

function hashOf(bytes: Uint8Array): number {
  let hash = bytes.length;
  const end = Math.min(bytes.length, HASHED_BYTES);
  for (let at = 0; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  return hash;
}
