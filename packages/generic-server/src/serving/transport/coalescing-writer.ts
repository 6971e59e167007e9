import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import type { ResponseWriter } from '@apiserver/apiserver-contracts';

/** A writer that has something to flush at the end of the tick. */
interface Flushable {
  flush(): void;
}

/** Chunks as one piece of memory. */
interface Joined {
  readonly chunks: readonly Uint8Array[];
  readonly bytes: Uint8Array;
}

/** From so many writers on, flushing them is followed by a rest. */
const manyWriters = 32;
/** How much longer than the flushing the rest after it is, and the most it may be, in milliseconds. */
const restFactor = 4;
const longestRest = 5;

/**
 * Flushes all writers that were written to in a turn of the event loop together, once, when its I/O has been seen to. To
 * write to a stream costs the same whatever it is, so that a burst of events at many watchers is dear event by event: many
 * writers are not flushed again before a few times as long as that took. An event that comes alone never waits.
 */
export class WriteCoalescer {
  #dirty: Flushable[] = [];
  /** What the writer before joined, while writers are being flushed. */
  #joined: Joined | undefined = undefined;
  /** Monotonic milliseconds until which nothing is flushed. */
  #restUntil = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  #immediate: NodeJS.Immediate | undefined = undefined;

  /** `writer` must not be in line already. */
  add(writer: Flushable): void {
    if (this.#dirty.push(writer) > 1) return;
    const rest = this.#restUntil === 0 ? 0 : this.#restUntil - performance.now();
    if (rest > 0) this.#timer = setTimeout(this.#run, rest);
    else this.#immediate = setImmediate(this.#run);
  }

  /** Flushes all pending writes now: another client is about to hear of the same change. */
  flushNow(): void {
    if (this.#dirty.length === 0) return;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#run();
  }

  /** Watchers of the same objects have the same frames to send: they are joined once for all of them. */
  join(chunks: readonly Uint8Array[], size: number): Uint8Array {
    if (this.#joined !== undefined && sameChunks(this.#joined.chunks, chunks)) return this.#joined.bytes;
    this.#joined = { chunks, bytes: Buffer.concat(chunks, size) };
    return this.#joined.bytes;
  }

  readonly #run = (): void => {
    const dirty = this.#dirty;
    this.#dirty = [];
    if (dirty.length < manyWriters) {
      for (const writer of dirty) writer.flush();
      this.#restUntil = 0;
    } else {
      const begun = performance.now();
      for (const writer of dirty) writer.flush();
      const ended = performance.now();
      this.#restUntil = ended + Math.min(longestRest, (ended - begun) * restFactor);
    }
    this.#joined = undefined;
  };
}

/**
 * What a stream answer writes to: the writes of one turn of the event loop leave as one, and what the socket has not taken
 * is counted, so that the handler can cut a slow client off.
 */
export class CoalescingWriter implements ResponseWriter, Flushable {
  readonly #sink: Writable;
  readonly #scheduler: WriteCoalescer;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** What the socket had to send when the first of the pending chunks came: asking it for every event costs as much as the event. */
  #unsentBytes = 0;
  #closed = false;
  #waiting: (() => void)[] | undefined = undefined;
  /** Bytes handed to the socket so far. */
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

  /** The same, exactly. */
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
    // An answer of Node's keeps what is written back until the turn's end, so that the parts of a moment leave together.
    if (this.#sink.writableCorked > 0) this.#sink.uncork();
  }

  /** The transport's side: the response ended or the client has gone; whoever waits goes on. */
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
