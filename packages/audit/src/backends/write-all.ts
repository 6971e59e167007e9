import { Buffer } from 'node:buffer';
import { writeSync, writevSync } from 'node:fs';

/** Buffers that one system call takes. Linux: IOV_MAX is 1024 */
const MAX_BUFFERS = 1_000;

/**
 * Writes all bytes to a file. `count` is called with the bytes of each system call. Throws the error of the operating
 * system.
 */
export function writeAll(file: number, buffers: readonly Uint8Array[], count: (bytes: number) => void): void {
  for (let at = 0; at < buffers.length; at += MAX_BUFFERS) writeSome(file, buffers.slice(at, at + MAX_BUFFERS), count);
}

function writeSome(file: number, buffers: readonly Uint8Array[], count: (bytes: number) => void): void {
  const [first] = buffers;
  if (first === undefined) return;
  const written = buffers.length === 1 ? 0 : writevSync(file, buffers);
  count(written);
  const total = buffers.reduce((sum, { length }) => sum + length, 0);
  if (written === total) return;
  const bytes = buffers.length === 1 ? first : Buffer.concat(buffers);
  for (let at = written; at < bytes.length; ) {
    const more = writeSync(file, bytes, at);
    count(more);
    at += more;
  }
}
