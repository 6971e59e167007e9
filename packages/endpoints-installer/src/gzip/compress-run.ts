import { crc32 } from 'node:zlib';
import type { CompressedRun } from '@apiserver/apiserver-contracts';
import { Deflater } from './deflater.js';

/** Deflaters that wait for a run, at most. */
const MOST_IDLE = 4;
/** Each has 256 KiB, which the next full collection frees. Making one costs more than most runs. */
const idle: WeakRef<Deflater>[] = [];

/** Compresses bytes in another thread. */
export async function compressRun(bytes: Uint8Array): Promise<CompressedRun> {
  const deflater = takeIdle() ?? new Deflater();
  const deflated = await deflater.deflate(bytes);
  if (idle.length < MOST_IDLE) idle.push(deflater.reference);
  return { deflated, length: bytes.length, checksum: crc32(bytes) };
}

function takeIdle(): Deflater | undefined {
  for (let reference = idle.pop(); reference !== undefined; reference = idle.pop()) {
    const deflater = reference.deref();
    if (deflater !== undefined) return deflater;
  }
  return undefined;
}
