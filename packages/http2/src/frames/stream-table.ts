/** Streams by id. A Map that much passes through keeps what it no longer has alive until a collection of the whole heap. */
export class StreamTable<Stream extends { readonly id: number }> {
  readonly #buckets: Stream[][] = Array.from({ length: 64 }, () => []);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): Stream | undefined {
    for (const stream of this.#bucket(id)) if (stream.id === id) return stream;
    return undefined;
  }

  add(stream: Stream): void {
    this.#bucket(stream.id).push(stream);
    this.#size++;
  }

  remove(stream: Stream): void {
    const bucket = this.#bucket(stream.id);
    const at = bucket.indexOf(stream);
    if (at < 0) return;
    const last = bucket.pop();
    if (last !== undefined && last !== stream) bucket[at] = last;
    this.#size--;
  }

  /** A copy. */
  all(): readonly Stream[] {
    return this.#buckets.flat();
  }

  #bucket(id: number): Stream[] {
    // A client's ids are odd.
    return this.#buckets[(id >>> 1) % 64] as Stream[];
  }
}
