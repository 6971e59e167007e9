import type { ApiResponse, Exchange, StoredList } from '@apiserver/apiserver-contracts';
import { LARGE } from '../body/event-loop-turns.js';
import { acceptsGzip, GZIP_THRESHOLD_BYTES } from '../negotiation/content-encoding.js';
import type { ChunkMemory } from '../scope/chunk-memory.js';
import type { ListBody } from '../views/list-body.js';
import type { Piece, Pieces } from '../views/pieces.js';
import { chunkPieces } from './chunk-pieces.js';
import { gzipBytes, gzipChunks, setGzipHeaders } from './compress.js';
import { inTimeSlices } from './time-slices.js';

/** A whole body, compressed if it is large and the client accepts that. */
export function respondBytes(exchange: Exchange, status: number, body: Uint8Array): ApiResponse | Promise<ApiResponse> {
  if (body.length <= GZIP_THRESHOLD_BYTES || !acceptsGzip(exchange)) return { type: 'bytes', status, body };
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
  if (second.done) return { type: 'bytes', status, body: ownBytes(first.value, memory) };
  const all = inTimeSlices(resumed([first.value, second.value], chunks), begun);
  if (!acceptsGzip(exchange)) return { type: 'chunks', status, chunks: all, giveBack: memory.giveBack };
  setGzipHeaders(exchange);
  return { type: 'chunks', status, chunks: gzipChunks(all) };
}

/** A copy of a chunk, whose memory can be used again at once. */
function ownBytes(chunk: Uint8Array, memory: ChunkMemory): Uint8Array {
  const bytes = Buffer.from(chunk);
  memory.giveBack(chunk);
  return bytes;
}

/**
 * A list that is compressed run by run, so that what earlier lists compressed is used again. Undefined if it is not
 * compressed, or has no runs.
 */
export async function respondRuns(
  exchange: Exchange,
  status: number,
  body: ListBody,
  list: StoredList,
): Promise<ApiResponse | undefined> {
  if (list.runs === undefined || !acceptsGzip(exchange) || !exceedsThreshold(body, list)) return undefined;
  const { gzipList } = await import('../gzip/gzip-list.js');
  const chunks = await gzipList(body, list, list.runs());
  setGzipHeaders(exchange);
  return { type: 'chunks', status, chunks };
}

/** Looks at no more items than are needed. */
function exceedsThreshold(body: ListBody, list: StoredList): boolean {
  let length = body.head(list, 0).length + body.tail(list).length - body.between.length;
  for (const stored of list.items) {
    const { byteLength = 0 } = stored;
    // A large one may have to be decoded in turns.
    length += (byteLength > LARGE ? byteLength : body.item(stored).length) + body.between.length;
    if (length > GZIP_THRESHOLD_BYTES) return true;
  }
  return false;
}

function* resumed(taken: Pieces, rest: Iterator<Piece, void>): Generator<Piece, void> {
  yield* taken;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
