/** Streams by id. A Map with many insertions and deletions would keep deleted entries alive until a full collection. */
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

  /** A copy of all streams. */
  all(): readonly Stream[] {
    return this.#buckets.flat();
  }

  #bucket(id: number): Stream[] {
    // Streams that a client opens have odd ids.
    return this.#buckets[(id >>> 1) % 64] as Stream[];
  }
}
