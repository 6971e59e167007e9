import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { acceptsGzip, GZIP_THRESHOLD_BYTES } from '../negotiation/content-encoding.js';
import type { ChunkMemory } from './chunk-memory.js';
import { chunkPieces } from './chunk-pieces.js';
import { gzipBytes, gzipChunks, setGzipHeaders } from './compress.js';
import { inTimeSlices } from './time-slices.js';

/** A whole body, compressed when it is large and the client takes that. */
export function respondBytes(exchange: Exchange, status: number, body: Uint8Array): ApiResponse | Promise<ApiResponse> {
  if (body.length <= GZIP_THRESHOLD_BYTES || !acceptsGzip(exchange.request)) return { type: 'bytes', status, body };
  setGzipHeaders(exchange);
  return gzipBytes(body).then((compressed) => ({ type: 'bytes', status, body: compressed }));
}

/** A body of many pieces, in chunks. One that fits into a single chunk is answered whole, so that its length is known. */
export function respondPieces(
  exchange: Exchange,
  status: number,
  pieces: Iterable<Uint8Array>,
  memory: ChunkMemory,
): ApiResponse {
  const chunks = chunkPieces(pieces, memory);
  const first = chunks.next();
  const second = first.done ? first : chunks.next();
  if (first.done || second.done) {
    return { type: 'bytes', status, body: first.done ? new Uint8Array() : first.value };
  }
  const all = inTimeSlices(resumed([first.value, second.value], chunks));
  if (!acceptsGzip(exchange.request)) return { type: 'chunks', status, chunks: all, giveBack: memory.giveBack };
  setGzipHeaders(exchange);
  return { type: 'chunks', status, chunks: gzipChunks(all) };
}

function* resumed(taken: Iterable<Uint8Array>, rest: Iterator<Uint8Array, void>): Generator<Uint8Array, void> {
  yield* taken;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
