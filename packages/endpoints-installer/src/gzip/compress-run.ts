import type { CompressedRun } from '@apiserver/apiserver-contracts';
import { Deflater } from './deflater.js';

/** Deflaters that wait for a run, at most. */
const MAX_IDLE = 4;
/** Each has 352 KiB, which the next full collection frees. Making one costs more than most runs. */
const idle: WeakRef<Deflater>[] = [];

/** Compresses the pieces of a run in another thread. */
export async function compressRun(pieces: readonly Uint8Array[]): Promise<CompressedRun> {
  const deflater = takeIdle() ?? new Deflater();
  const compressed = await deflater.deflate(pieces);
  if (idle.length < MAX_IDLE) idle.push(deflater.reference);
  return compressed;
}

function takeIdle(): Deflater | undefined {
  for (let reference = idle.pop(); reference !== undefined; reference = idle.pop()) {
    const deflater = reference.deref();
    if (deflater !== undefined) return deflater;
  }
  return undefined;
}
