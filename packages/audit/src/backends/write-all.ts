import { Buffer } from 'node:buffer';
import { writeSync, writevSync } from 'node:fs';

/** Buffers that one system call takes. Linux: IOV_MAX is 1024 */
const MAX_BUFFERS = 1_000;

/** Writes all bytes to a file. Throws the error of the operating system. */
export function writeAll(file: number, buffers: readonly Uint8Array[]): void {
  for (let at = 0; at < buffers.length; at += MAX_BUFFERS) writeSome(file, buffers.slice(at, at + MAX_BUFFERS));
}

function writeSome(file: number, buffers: readonly Uint8Array[]): void {
  const [first] = buffers;
  if (first === undefined) return;
  if (buffers.length === 1) {
    writeRest(file, first, 0);
    return;
  }
  const written = writevSync(file, buffers);
  const total = buffers.reduce((sum, { length }) => sum + length, 0);
  if (written < total) writeRest(file, Buffer.concat(buffers), written);
}

function writeRest(file: number, bytes: Uint8Array, from: number): void {
  for (let at = from; at < bytes.length; ) at += writeSync(file, bytes, at);
}
