import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Exchange } from '@apiserver/apiserver-contracts';

/** The level upstream uses: a list is compressed while the client waits. */
const LEVEL = 1;

/** Says in the headers that the body is compressed, and that it depends on what the client takes. */
export function setGzipHeaders(exchange: Exchange): void {
  exchange.responseHeaders.set('Content-Encoding', 'gzip');
  exchange.responseHeaders.append('Vary', 'Accept-Encoding');
}

/** A body compressed at once, off the event loop. */
export async function gzipBytes(body: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import('node:zlib');
  return promisify(gzip)(body, { level: LEVEL });
}

/** A body compressed as it comes. Ends with an error where the source does; stops the source when nobody reads on. */
export async function* gzipChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const { createGzip } = await import('node:zlib');
  const source = Readable.from(chunks, { objectMode: false });
  const gzip = createGzip({ level: LEVEL });
  source.on('error', (error) => gzip.destroy(error));
  try {
    yield* source.pipe(gzip) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}
