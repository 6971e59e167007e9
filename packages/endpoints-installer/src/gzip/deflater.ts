import { constants, crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import type { CompressedRun } from '@apiserver/apiserver-contracts';
import { GZIP_LEVEL } from './gzip-level.js';

/** Usual size of a compressed run: Node then makes one call of zlib. */
const CHUNK_BYTES = 64 * 1024;
/** Most runs fit: they have 64 KiB and the rest of an object. */
const INPUT_BYTES = 96 * 1024;

/** Compresses one run after the other in another thread, each alone: none refers to bytes of another. */
export class Deflater {
  /** For those who let a collection have it. */
  readonly reference = new WeakRef<Deflater>(this);
  readonly #stream: DeflateRaw;
  readonly #input = Buffer.allocUnsafeSlow(INPUT_BYTES);
  #made: Buffer[] = [];

  constructor() {
    // Such a flush forgets the bytes before it, ends at a byte, and does not end the member.
    const flush = constants.Z_FULL_FLUSH;
    this.#stream = createDeflateRaw({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES, flush });
    this.#stream.on('data', (made: Buffer) => this.#made.push(made));
    // The callback of the write has it, too.
    this.#stream.on('error', () => {});
  }

  /**
   * Reads the pieces before it returns. Call it when the call before has resolved. After an error the deflater is
   * useless.
   */
  deflate(pieces: readonly Uint8Array[]): Promise<CompressedRun> {
    const length = lengthOf(pieces);
    const room = length <= INPUT_BYTES ? this.#input.subarray(0, length) : Buffer.allocUnsafeSlow(length);
    const bytes = join(pieces, room);
    const checksum = crc32(bytes);
    return new Promise((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        if (error) reject(error);
        else resolve({ deflated: this.#take(), length, checksum });
      });
    });
  }

  /** Exactly what was made: pooled memory, and Node's chunks, may be much larger. */
  #take(): Uint8Array {
    const made = this.#made;
    this.#made = [];
    return join(made, Buffer.allocUnsafeSlow(lengthOf(made)));
  }
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function join(pieces: readonly Uint8Array[], room: Buffer): Buffer {
  let at = 0;
  for (const piece of pieces) {
    room.set(piece, at);
    at += piece.length;
  }
  return room;
}
