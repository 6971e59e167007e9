import { closeSync, constants, openSync, write } from 'node:fs';
import { BLOCK } from './journal-batches.js';

/** Memory of an ArrayBuffer begins at a multiple of this many bytes, at least. */
const STEP = 16;
/** Maximum alignment that a file system asks for. */
const ALIGNMENT = 4096;

/** A file whose writes wait for the disk and bypass the page cache, and the memory for them. */
export interface DirectFile {
  readonly file: number;
  /** Whole blocks of these can be written. */
  readonly buffers: readonly Buffer[];
}

/**
 * Opens a file that has a block of zeros at `at`, and allocates a buffer of each size. Undefined if the file system
 * does not support such writes.
 */
export async function openDirect(path: string, at: number, sizes: readonly number[]): Promise<DirectFile | undefined> {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_WRONLY | constants.O_DSYNC | constants.O_DIRECT);
    const buffers: Buffer[] = [];
    for (const size of sizes) buffers.push(await alignedBuffer(file, at, size));
    return { file, buffers };
  } catch {
    if (file !== undefined) closeSync(file);
    return undefined;
  }
}

/**
 * The system refuses memory that is not aligned, and Node does not tell its address: each place is tried with the block
 * of zeros. The first one usually is the beginning of a page, because malloc puts 16 bytes before large memory.
 */
async function alignedBuffer(file: number, at: number, size: number): Promise<Buffer> {
  const memory = new ArrayBuffer(ALIGNMENT + size);
  for (let offset = ALIGNMENT - STEP; ; offset -= STEP) {
    const buffer = Buffer.from(memory, offset, size);
    try {
      await writeAll(file, buffer.subarray(0, BLOCK), at);
      return buffer;
    } catch (error) {
      if (offset === 0) throw error;
    }
  }
}

/** Writes all of these bytes. A write that ends early, as on a full disk, is continued: that fails with the reason. */
export async function writeAll(file: number, bytes: Buffer, at: number): Promise<void> {
  let written = await writeSome(file, bytes, at);
  while (written < bytes.length) written += await writeSome(file, bytes.subarray(written), at + written);
}

function writeSome(file: number, bytes: Buffer, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(file, bytes, 0, bytes.length, at, (error, written) => {
      if (error === null && written > 0) resolve(written);
      else reject(error ?? new Error('nothing was written'));
    });
  });
}
