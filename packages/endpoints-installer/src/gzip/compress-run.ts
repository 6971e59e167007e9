import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { CompressedRun } from '@apiserver/apiserver-contracts';
import { GZIP_LEVEL } from './gzip-level.js';

const deflate = promisify(deflateRaw);

/** Usual size of a compressed run: Node then makes one call of zlib. */
const CHUNK_BYTES = 64 * 1024;

/** Compresses bytes in another thread. */
export async function compressRun(bytes: Uint8Array): Promise<CompressedRun> {
  // A flush ends at a byte, and does not end the member.
  const finishFlush = constants.Z_SYNC_FLUSH;
  const made = await deflate(bytes, { level: GZIP_LEVEL, chunkSize: CHUNK_BYTES, finishFlush });
  // Node's chunk may be much larger.
  const deflated = Buffer.allocUnsafeSlow(made.length);
  deflated.set(made);
  return { deflated, length: bytes.length, checksum: crc32(bytes) };
}
