import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { acceptsGzip, GZIP_THRESHOLD_BYTES } from '../negotiation/content-encoding.js';
import type { ChunkMemory } from '../scope/chunk-memory.js';
import type { Piece, Pieces } from '../views/pieces.js';
import { chunkPieces } from './chunk-pieces.js';
import { gzipBytes, gzipChunks, setGzipHeaders } from './compress.js';
import { inTimeSlices } from './time-slices.js';

/** A whole body, compressed if it is large and the client accepts that. */
export function respondBytes(exchange: Exchange, status: number, body: Uint8Array): ApiResponse | Promise<ApiResponse> {
  if (body.length <= GZIP_THRESHOLD_BYTES || !acceptsGzip(exchange.request)) return { type: 'bytes', status, body };
  setGzipHeaders(exchange);
  return gzipBytes(body).then((compressed) => ({ type: 'bytes', status, body: compressed }));
}

/**
 * A body of many pieces, in chunks. One that fits into a single chunk is sent whole, so that its length is known. A
 * failure before the first chunk fails the request.
 */
export function respondPieces(
  exchange: Exchange,
  status: number,
  pieces: Pieces,
  memory: ChunkMemory,
): ApiResponse | Promise<ApiResponse> {
  return respondChunks(exchange, status, chunkPieces(pieces, memory), memory);
}

function respondChunks(
  exchange: Exchange,
  status: number,
  chunks: Iterator<Piece, void>,
  memory: ChunkMemory,
): ApiResponse | Promise<ApiResponse> {
  const begun = performance.now();
  const first = chunks.next();
  if (first.done) return { type: 'bytes', status, body: new Uint8Array() };
  if (!(first.value instanceof Uint8Array)) {
    return first.value.then(() => respondChunks(exchange, status, chunks, memory));
  }
  const second = chunks.next();
  if (second.done) return { type: 'bytes', status, body: first.value };
  const all = inTimeSlices(resumed([first.value, second.value], chunks), begun);
  if (!acceptsGzip(exchange.request)) return { type: 'chunks', status, chunks: all, giveBack: memory.giveBack };
  setGzipHeaders(exchange);
  return { type: 'chunks', status, chunks: gzipChunks(all) };
}

function* resumed(taken: Pieces, rest: Iterator<Piece, void>): Generator<Piece, void> {
  yield* taken;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
