/** What chunks are written to. */
export interface ChunkSink {
  /** Nobody reads any more. */
  readonly closed: boolean;
  /** Answers whether more is welcome before `drained`. */
  write(chunk: Uint8Array): boolean;
  /** Resolves when there is room again, or nobody reads any more. */
  drained(): Promise<void>;
  end(): void;
}

/**
 * Writes chunks to a sink as fast as it takes them and ends it. Rejects when the source throws; resolves early when the
 * sink has closed. The source is always given the chance to clean up.
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
