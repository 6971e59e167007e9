/** A sink of chunks. */
export interface ChunkSink {
  /** True if the reader has disconnected. */
  readonly closed: boolean;
  /** Returns false when the writer should wait for `drained`. */
  write(chunk: Uint8Array): boolean;
  /** Resolves when there is room again, or the reader has disconnected. */
  drained(): Promise<void>;
  end(): void;
}

/**
 * Writes chunks to a sink at the sink's speed, and ends it. Rejects when the source throws; resolves early when the
 * sink has closed. The source can clean up in every case.
 */
export async function pumpChunks(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  sink: ChunkSink,
  count: (bytes: number) => void,
): Promise<void> {
  for await (const chunk of chunks) {
    if (sink.closed) return;
    count(chunk.length);
    if (!sink.write(chunk)) await sink.drained();
  }
  if (!sink.closed) sink.end();
}
