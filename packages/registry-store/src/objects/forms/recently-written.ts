interface Written<V> {
  readonly bytes: Uint8Array;
  readonly hash: number;
  value: V | undefined;
}

/** More than are on their way at any time. */
const KEPT = 256;
/** Larger ones are rare, and keep much memory. */
const MAX_BYTES = 64 * 1024;
/** What all of them may have; what was made of them comes on top. */
const MAX_ALL_BYTES = 1024 * 1024;
/** The name and the uid lie within. */
const HASHED_BYTES = 256;

/**
 * Bytes that were written a moment ago, and what was made of them: they come back as they are, first to whoever wrote them
 * and again with the watch that tells of the write, and need not be decoded each time.
 */
export class RecentlyWritten<V> {
  /** A ring; a Map that much passes through keeps what it no longer has alive. */
  readonly #ring: (Written<V> | undefined)[] = new Array(KEPT);
  #next = 0;
  /** How many are kept, the newest before `#next`, and their bytes. */
  #count = 0;
  #bytes = 0;

  /** Whoever asks for these bytes soon has `make` called once. */
  add(bytes: Uint8Array): void {
    if (bytes.length > MAX_BYTES) return;
    while (this.#count === KEPT || (this.#count > 0 && this.#bytes + bytes.length > MAX_ALL_BYTES)) this.#dropOldest();
    this.#ring[this.#next] = { bytes, hash: hashOf(bytes), value: undefined };
    this.#next = (this.#next + 1) % KEPT;
    this.#count++;
    this.#bytes += bytes.length;
  }

  /** What `make` makes of the bytes, or has made of them before. */
  valueOf(bytes: Uint8Array, make: (bytes: Uint8Array) => V): V {
    const written = this.#find(bytes);
    if (written === undefined) return make(bytes);
    written.value ??= make(bytes);
    return written.value;
  }

  #dropOldest(): void {
    const at = (this.#next - this.#count + KEPT) % KEPT;
    this.#bytes -= this.#ring[at]?.bytes.length ?? 0;
    this.#ring[at] = undefined;
    this.#count--;
  }

  /** From the newest on. */
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
