import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { codeOf } from '@apiserver/apimachinery/errors';

/** Bytes of lines that wait for a slow reader. Further lines are lost. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Maximum number of bytes in one write. */
const WRITE_BYTES = 64 * 1024;
/** Milliseconds until the next attempt to write to a full pipe. */
const RETRY_MS = 10;
/** Milliseconds for which the end of a process waits for the reader. */
const CLOSE_MS = 1_000;

/**
 * Writes lines to a file descriptor at once. It never waits for the reader of a pipe: lines for which the pipe has no
 * room stay in memory. Other failures lose lines, as with klog.
 */
export class LogStream {
  readonly #descriptor: number;
  readonly #minBytes: number;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #retry: NodeJS.Timeout | undefined = undefined;

  /** Lines are buffered until they have `minBytes`. */
  constructor(descriptor: number, minBytes = 0) {
    this.#descriptor = nonBlocking(descriptor);
    this.#minBytes = minBytes;
  }

  /** Further lines would be lost. */
  get isFull(): boolean {
    return this.#waitingBytes >= Math.max(MAX_WAITING_BYTES, this.#minBytes);
  }

  write(text: string): void {
    const line = Buffer.from(text);
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#retry === undefined && this.#waitingBytes >= this.#minBytes) this.flush();
  }

  /** Writes what the descriptor takes now, and the rest later. */
  flush(): void {
    if (this.#writeAll()) return;
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.flush();
    }, RETRY_MS);
    this.#retry.unref();
  }

  /** Writes everything, for which it waits a second at most. */
  close(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const end = performance.now() + CLOSE_MS;
    while (!this.#writeAll() && performance.now() < end) pause(RETRY_MS);
  }

  /** False: the pipe is full. */
  #writeAll(): boolean {
    while (this.#waitingBytes > 0) {
      const part = this.#part();
      const written = writeTo(this.#descriptor, part);
      if (written < part.length) this.#waiting.unshift(part.subarray(written));
      this.#waitingBytes -= written;
      if (written === 0) return false;
    }
    return true;
  }

  /** Takes the first lines. */
  #part(): Buffer {
    let [count, bytes] = [0, 0];
    for (const line of this.#waiting) {
      if (bytes >= WRITE_BYTES) break;
      bytes += line.length;
      count++;
    }
    const lines = this.#waiting.splice(0, count);
    const [only] = lines;
    return only !== undefined && count === 1 ? only : Buffer.concat(lines);
  }
}

/** The number of bytes that were written, or are lost; 0: none can be written now. */
function writeTo(descriptor: number, bytes: Buffer): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    return codeOf(error) === 'EAGAIN' ? 0 : bytes.length;
  }
}

/**
 * A descriptor of the same pipe that does not wait for its reader. Other processes may share the pipe, so the given one
 * stays as it is. For files, terminals and sockets, and without /proc, it is the given one.
 */
function nonBlocking(descriptor: number): number {
  try {
    if (!fstatSync(descriptor).isFIFO()) return descriptor;
    const own = openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
    if (fstatSync(own).ino === fstatSync(descriptor).ino) return own;
    closeSync(own);
  } catch {
    // The pipe has no reader, or belongs to another user.
  }
  return descriptor;
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
