import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import type { ResponseWriter } from '@apiserver/apiserver-contracts';

/** A writer with output to flush when the turn ends. */
interface Flushable {
  flush(): void;
}

/** Chunks joined into one buffer. */
interface Joined {
  readonly chunks: readonly Uint8Array[];
  readonly bytes: Uint8Array;
}

/** Number of writers from which on a flush is followed by a pause. */
const MANY_WRITERS = 32;
/** Length of the pause relative to the flush, and its upper limit in milliseconds. */
const REST_FACTOR = 4;
const MAX_REST_MS = 5;

/**
 * Flushes all writers of a turn of the event loop together, after its I/O. A write costs the same whatever its size, so
 * a burst of events for many watchers would be expensive event by event. Many writers are therefore flushed again only
 * after a pause of a few times the duration of the flush. A single event never waits.
 */
export class WriteCoalescer {
  #dirty: Flushable[] = [];
  /** The buffer that the previous writer of this flush joined. */
  #joined: Joined | undefined = undefined;
  /** Monotonic milliseconds when the pause ends. */
  #restUntil = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  #immediate: NodeJS.Immediate | undefined = undefined;

  /** Schedules a flush. `writer` must not be scheduled already. */
  add(writer: Flushable): void {
    if (this.#dirty.push(writer) > 1) return;
    const rest = this.#restUntil === 0 ? 0 : this.#restUntil - performance.now();
    if (rest > 0) this.#timer = setTimeout(this.#run, rest);
    else this.#immediate = setImmediate(this.#run);
  }

  /** Flushes all pending writes now, because another client is about to get the response to the same change. */
  flushNow(): void {
    if (this.#dirty.length === 0) return;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#run();
  }

  /** Joins chunks. Watchers of the same objects have the same chunks, which are joined once. */
  join(chunks: readonly Uint8Array[], size: number): Uint8Array {
    if (this.#joined !== undefined && sameChunks(this.#joined.chunks, chunks)) return this.#joined.bytes;
    this.#joined = { chunks, bytes: Buffer.concat(chunks, size) };
    return this.#joined.bytes;
  }

  readonly #run = (): void => {
    const dirty = this.#dirty;
    this.#dirty = [];
    if (dirty.length < MANY_WRITERS) {
      for (const writer of dirty) writer.flush();
      this.#restUntil = 0;
    } else {
      const begun = performance.now();
      for (const writer of dirty) writer.flush();
      const ended = performance.now();
      this.#restUntil = ended + Math.min(MAX_REST_MS, (ended - begun) * REST_FACTOR);
    }
    this.#joined = undefined;
  };
}

/**
 * Writes a stream response. The writes of one turn of the event loop become one. Unsent bytes are counted, so that the
 * handler can cut off a slow client.
 */
export class CoalescingWriter implements ResponseWriter, Flushable {
  readonly #sink: Writable;
  readonly #scheduler: WriteCoalescer;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Unsent bytes of the socket at the first pending chunk: reading them for every event costs as much as the event. */
  #unsentBytes = 0;
  #closed = false;
  #waiting: (() => void)[] | undefined = undefined;
  /** Bytes written to the socket so far. */
  bytesWritten = 0;

  constructor(sink: Writable, scheduler: WriteCoalescer) {
    this.#sink = sink;
    this.#scheduler = scheduler;
  }

  write(chunk: Uint8Array): void {
    if (this.#closed || chunk.length === 0) return;
    this.#pendingBytes += chunk.length;
    if (this.#pending.push(chunk) > 1) return;
    this.#unsentBytes = this.#sink.writableLength;
    this.#scheduler.add(this);
  }

  get bufferedBytes(): number {
    return this.#pendingBytes > 0 ? this.#pendingBytes + this.#unsentBytes : this.#bytesNow;
  }

  /** The exact number of buffered bytes. */
  get #bytesNow(): number {
    return this.#pendingBytes + (this.#closed ? 0 : this.#sink.writableLength);
  }

  get closed(): boolean {
    return this.#closed;
  }

  drained(): Promise<void> {
    if (this.#closed || this.#bytesNow <= this.#sink.writableHighWaterMark) return Promise.resolve();
    if (this.#waiting === undefined) {
      this.#waiting = [];
      this.#sink.on('drain', () => this.#release());
    }
    return new Promise((resolve) => this.#waiting?.push(resolve));
  }

  flush(): void {
    const pending = this.#pending;
    if (this.#closed || pending.length === 0) return;
    this.#pending = [];
    const bytes = pending.length === 1 ? pending[0] : this.#scheduler.join(pending, this.#pendingBytes);
    this.bytesWritten += this.#pendingBytes;
    this.#pendingBytes = 0;
    if (bytes === undefined) return;
    this.#sink.write(bytes);
    // Node corks a response until the turn ends.
    if (this.#sink.writableCorked > 0) this.#sink.uncork();
  }

  /** For the transport: the response has ended or the client has gone, and waiting writers continue. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#release();
  }

  #release(): void {
    if (!this.#closed && this.#bytesNow > this.#sink.writableHighWaterMark) return;
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

function sameChunks(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return a.length === b.length && a.every((chunk, index) => chunk === b[index]);
}
