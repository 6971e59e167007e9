import type { Writable } from 'node:stream';

/**
 * Writes chunks to a socket as fast as it takes them and ends it. Rejects when the source throws; resolves early when the
 * socket has closed. The source is always given the chance to clean up.
 */
export async function pumpChunks(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  sink: Writable,
  count: (bytes: number) => void,
): Promise<void> {
  for await (const chunk of chunks) {
    if (sink.destroyed) return;
    count(chunk.length);
    if (!sink.write(chunk)) await drained(sink);
  }
  if (!sink.destroyed) sink.end();
}

function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      sink.off('drain', done).off('close', done);
      resolve();
    };
    if (sink.destroyed) resolve();
    else sink.on('drain', done).on('close', done);
  });
}
