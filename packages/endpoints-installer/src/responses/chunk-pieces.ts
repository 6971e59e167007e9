import { CHUNK_BYTES, ChunkMemory } from '../scope/chunk-memory.js';
import type { Piece, Pieces } from '../views/pieces.js';

/**
 * Collects small pieces into chunks of at most CHUNK_BYTES, so that the number of socket writes does not depend on the
 * pieces. Larger pieces pass without a copy, and promises pass at once. Never yields an empty chunk. The chunks may be
 * given back to `memory`.
 */
export function chunkPieces(pieces: Iterable<Uint8Array>, memory?: ChunkMemory): Generator<Uint8Array, void>;
export function chunkPieces(pieces: Pieces, memory?: ChunkMemory): Generator<Piece, void>;
export function* chunkPieces(pieces: Pieces, memory: ChunkMemory = new ChunkMemory()): Generator<Piece, void> {
  let chunk: Buffer | undefined;
  let filled = 0;
  for (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) {
      yield piece;
      continue;
    }
    if (filled > 0 && filled + piece.length > CHUNK_BYTES) {
      if (chunk !== undefined) yield chunk.subarray(0, filled);
      chunk = undefined;
      filled = 0;
    }
    if (piece.length >= CHUNK_BYTES) {
      yield piece;
    } else {
      chunk ??= memory.take();
      chunk.set(piece, filled);
      filled += piece.length;
    }
  }
  if (chunk !== undefined && filled > 0) yield chunk.subarray(0, filled);
}
