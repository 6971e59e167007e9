import { constants, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { GZIP_LEVEL } from './gzip-level.js';

/** Usual size of a compressed run: Node then makes one call of zlib. */
const CHUNK_BYTES = 64 * 1024;

/** Compresses one piece after the other in another thread, each alone: none refers to bytes of another. */
export class Deflater {
  /** For those who let a collection have it. */
  readonly reference = new WeakRef<Deflater>(this);
  readonly #stream: DeflateRaw;
  #made: Buffer[] = [];

  constructor() {
    // Such a flush forgets the bytes before it, ends at a byte, and does not end the member.
    const flush = constants.Z_FULL_FLUSH;
    this.#stream = createDeflateRaw({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES, flush });
    this.#stream.on('data', (made: Buffer) => this.#made.push(made));
    // The callback of the write has it, too.
    this.#stream.on('error', () => {});
  }

  /** Call it when the call before has resolved. After an error the deflater is useless. */
  deflate(bytes: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        if (error) reject(error);
        else resolve(this.#take());
      });
    });
  }

  #take(): Uint8Array {
    const length = this.#made.reduce((sum, { length }) => sum + length, 0);
    // Pooled memory, and Node's chunks, may be much larger.
    const all = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (const piece of this.#made) {
      all.set(piece, at);
      at += piece.length;
    }
    this.#made = [];
    return all;
  }
}
