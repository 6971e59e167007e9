import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Exchange } from '@apiserver/apiserver-contracts';
import { GZIP_LEVEL } from '../gzip/gzip-level.js';

/** Sets the headers of a compressed body, which depends on the client's Accept-Encoding. */
export function setGzipHeaders(exchange: Exchange): void {
  exchange.responseHeaders.set('Content-Encoding', 'gzip');
  exchange.responseHeaders.append('Vary', 'Accept-Encoding');
}

/** Compresses a whole body, outside of the event loop's thread. */
export async function gzipBytes(body: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import('node:zlib');
  return promisify(gzip)(body, { level: GZIP_LEVEL });
}

/** Compresses a body chunk by chunk. Ends with an error if the source does; stops the source if the consumer stops. */
export async function* gzipChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const { createGzip } = await import('node:zlib');
  const source = Readable.from(chunks, { objectMode: false });
  const gzip = createGzip({ level: GZIP_LEVEL });
  source.on('error', (error) => gzip.destroy(error));
  try {
    yield* source.pipe(gzip) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}
