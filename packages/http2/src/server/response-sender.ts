import type { Duplex } from 'node:stream';
import { enlarged } from '../frames/frame-rules.js';
import { DEFAULT_FRAME_SIZE, DEFAULT_WINDOW, FRAME_HEADER, FrameFlag, FrameType } from '../frames/frame-types.js';
import { HpackEncoder } from '../hpack/hpack-encoder.js';
import { type BufferPool, LARGE_BUFFER } from './buffer-pool.js';
import type { FlushMember, FlushScheduler } from './flush-scheduler.js';
import { OutputBuffer, type OutputChunk } from './output-buffer.js';
import type { HeaderFields, ServerStream } from './server-stream.js';
import { SocketProgress } from './socket-progress.js';

/**
 * Threshold of collected bytes for adding DATA frames to a write, so that later frames need not wait for long. One
 * more frame of the usual size still fits in the buffer. TLS would join a write of several buffers.
 */
const WRITE_BYTES = LARGE_BUFFER - FRAME_HEADER - DEFAULT_FRAME_SIZE;
/** Threshold of collected output above which the connection reads nothing more. */
const STALLED_BYTES = 512 * 1024;

/** The connection of a sender. */
export interface SenderOwner {
  /** The last frame of a response has been collected. */
  responded(stream: ServerStream): void;
  /** The socket has accepted the last write. */
  written(): void;
}

/**
 * The sending side of a connection. It collects frames of its streams in round-robin order, within the windows of the
 * peer, and passes one write at a time to the socket. All output of one event loop turn is one write.
 */
export class ResponseSender implements Pick<FlushMember, 'flush'> {
  readonly output: OutputBuffer;
  readonly #socket: Duplex;
  readonly #pool: BufferPool;
  readonly #owner: SenderOwner;
  readonly #encoder = new HpackEncoder();
  readonly #member: FlushMember;
  readonly #scheduler: FlushScheduler;
  /** Streams with output, in the order in which they send. */
  #line: ServerStream[] = [];
  /** Streams with events, which send first. */
  #events: ServerStream[] = [];
  /** Streams that wait for a window. */
  #parked: ServerStream[] = [];
  #sendWindow = DEFAULT_WINDOW;
  /** The write that the socket has not yet accepted. */
  #inFlight: readonly OutputChunk[] | undefined = undefined;
  readonly #progress: SocketProgress;
  /** The last output contains bytes of a body. */
  #hasData = false;
  #dataSince = 0;
  #blockedSince = 0;
  #isDirty = false;
  /** This connection is scheduled among those with events. */
  #isFirst = false;
  #stopped = false;
  /** SETTINGS_INITIAL_WINDOW_SIZE of the peer. */
  initialWindow = DEFAULT_WINDOW;
  maxFrame = DEFAULT_FRAME_SIZE;

  constructor(socket: Duplex, { scheduler, pool, member, owner }: SenderDependencies) {
    this.#socket = socket;
    this.#progress = new SocketProgress(socket);
    this.#scheduler = scheduler;
    this.#pool = pool;
    this.#member = member;
    this.#owner = owner;
    this.output = new OutputBuffer(pool);
  }

  /** True when so much output waits that nothing should be added. */
  get isStalled(): boolean {
    return this.output.length > STALLED_BYTES;
  }

  /** True when all output has been written. */
  get isIdle(): boolean {
    return this.#inFlight === undefined && this.output.length === 0;
  }

  /** Bytes of streams that wait for a window of the client. */
  get parkedBytes(): number {
    let bytes = 0;
    for (const stream of this.#parked) bytes += stream.queuedBytes;
    return bytes;
  }

  /** Monotonic milliseconds since when the socket makes no progress; undefined: no write is pending. */
  stuckSince(now: number): number | undefined {
    return this.#inFlight === undefined ? undefined : this.#progress.stuckSince(now);
  }

  /** Monotonic milliseconds of the last write with bytes of a body; 0: there was none. */
  get dataSince(): number {
    return this.#dataSince;
  }

  /** Monotonic milliseconds since when the window of the connection is exhausted and gets no credit; 0: it is open. */
  get blockedSince(): number {
    return this.#blockedSince;
  }

  /** Restarts the time for which the window of the connection counts as exhausted. */
  forgive(now: number): void {
    if (this.#blockedSince !== 0) this.#blockedSince = now;
  }

  set headerTableSize(bytes: number) {
    this.#encoder.setTableSize(bytes);
  }

  /** Schedules a flush when this turn ends. */
  flushSoon(): void {
    if (this.#isDirty || this.#stopped) return;
    this.#isDirty = true;
    this.#scheduler.flushLater(this.#member);
  }

  /** A stream has output. */
  wake(stream: ServerStream): void {
    stream.waiting = true;
    if (!stream.isEvents) {
      this.#line.push(stream);
      this.flushSoon();
      return;
    }
    this.#events.push(stream);
    if (this.#isFirst || this.#stopped) return;
    this.#isFirst = true;
    this.#scheduler.flushFirst(this.#member);
  }

  /** Collects the head of a response, after the events that came before it. */
  respond(stream: ServerStream, status: number, fields: HeaderFields, endStream: boolean): void {
    if (this.#events.length > 0 && this.#inFlight === undefined) this.#gatherEvents();
    const encoder = this.#encoder;
    encoder.begin();
    encoder.status(status);
    for (const name in fields) {
      const value = fields[name];
      if (typeof value === 'string') encoder.field(name, value);
      else if (value !== undefined) for (const each of value) encoder.field(name, each);
    }
    this.#headers(stream.id, encoder.end(), endStream ? FrameFlag.endStream : 0);
    if (endStream) {
      stream.ending = true;
      stream.localEnded = true;
      this.wake(stream);
    } else this.flushSoon();
  }

  #headers(id: number, block: Uint8Array, endStream: number): void {
    let end = Math.min(block.length, this.maxFrame);
    this.output.header(FrameType.headers, endStream | (end === block.length ? FrameFlag.endHeaders : 0), id, end);
    this.output.bytes(block, 0, end);
    while (end < block.length) {
      const begin = end;
      end = Math.min(block.length, begin + this.maxFrame);
      this.output.header(FrameType.continuation, end === block.length ? FrameFlag.endHeaders : 0, id, end - begin);
      this.output.bytes(block, begin, end);
    }
  }

  /** Adds credit to the window of the connection. Throws Http2Error. */
  enlarge(by: number): void {
    this.#sendWindow = enlarged(this.#sendWindow, by);
    this.#blockedSince = 0;
    this.unpark();
  }

  /** Wakes streams that waited for a window. */
  unpark(only?: ServerStream): void {
    if (this.#parked.length === 0) return;
    const parked = this.#parked;
    this.#parked = [];
    for (const stream of parked) {
      if (only !== undefined && stream !== only) {
        this.#parked.push(stream);
        continue;
      }
      stream.parked = false;
      if (!stream.closed) this.wake(stream);
    }
  }

  /** Forgets a closed stream. */
  forget(stream: ServerStream): void {
    if (stream.parked) this.#parked = this.#parked.filter((other) => other !== stream);
  }

  /** Collects frames and writes them, unless a write is pending. */
  flush(): void {
    this.#isDirty = false;
    this.#isFirst = false;
    if (this.#stopped || this.#inFlight !== undefined) return;
    this.#gather();
    this.#write();
  }

  #gather(): void {
    this.#gatherEvents();
    const line = this.#line;
    let next = 0;
    // A stream with more than one frame returns to the end of the queue, where new streams join too. At least one
    // stream sends, even with many events.
    while (next < line.length && (next === 0 || this.output.length < WRITE_BYTES)) {
      this.#send(line[next++] as ServerStream);
    }
    if (next === line.length) line.length = 0;
    else this.#line = line.slice(next);
  }

  #gatherEvents(): void {
    const events = this.#events;
    let next = 0;
    while (next < events.length && this.output.length < WRITE_BYTES) this.#send(events[next++] as ServerStream);
    if (next === events.length) events.length = 0;
    else this.#events = events.slice(next);
  }

  #send(stream: ServerStream): void {
    stream.waiting = false;
    if (stream.closed) return;
    if (!stream.localEnded && !this.#sendData(stream)) return;
    this.#owner.responded(stream);
  }

  /** Sends at most one DATA frame. Returns true when the response is complete. */
  #sendData(stream: ServerStream): boolean {
    const queued = stream.queuedBytes;
    // A window may be negative. The end of a response without data needs none.
    const size = Math.max(0, Math.min(queued, this.maxFrame, stream.sendWindow, this.#sendWindow));
    if (size === 0 && queued > 0) {
      this.#park(stream);
      return false;
    }
    const isLast = stream.ending && size === queued;
    if (size === 0 && !isLast) return false;
    this.output.header(FrameType.data, isLast ? FrameFlag.endStream : 0, stream.id, size);
    stream.sendWindow -= size;
    this.#sendWindow -= size;
    if (size > 0) {
      stream.moveTo(this.output, size);
      this.#hasData = true;
    }
    if (isLast) stream.localEnded = true;
    else if (size < queued && !stream.waiting) {
      stream.waiting = true;
      (stream.isEvents ? this.#events : this.#line).push(stream);
    }
    return isLast;
  }

  /** The stream waits for a window. */
  #park(stream: ServerStream): void {
    const now = performance.now();
    stream.parked = true;
    if (stream.stuckSince === 0) stream.stuckSince = now;
    if (stream.sendWindow > 0 && this.#blockedSince === 0) this.#blockedSince = now;
    this.#parked.push(stream);
  }

  #write(): void {
    if (this.output.length === 0) return;
    const pieces = this.output.take();
    this.#inFlight = pieces;
    const now = performance.now();
    this.#progress.restart(now);
    if (this.#hasData) this.#dataSince = now;
    this.#hasData = false;
    const last = pieces.length - 1;
    if (last > 0) this.#socket.cork();
    for (let index = 0; index < last; index++) this.#socket.write((pieces[index] as OutputChunk).bytes);
    this.#socket.write((pieces[last] as OutputChunk).bytes, this.#written);
    if (last > 0) this.#socket.uncork();
  }

  readonly #written = (error?: Error | null): void => {
    const pieces = this.#inFlight;
    this.#inFlight = undefined;
    // After an error the socket may still refer to the buffers.
    if (pieces === undefined || error) return;
    for (const { memory } of pieces) this.#pool.giveBack(memory);
    if (this.#stopped) return;
    this.#owner.written();
    if (this.output.length > 0 || this.#line.length > 0 || this.#events.length > 0) {
      this.#scheduler.flushNext(this.#member);
    }
  };

  /**
   * Sends the collected output and nothing more of any stream. Calls `done` when the socket has accepted it, or has
   * failed.
   */
  finish(done: () => void): void {
    this.#line.length = 0;
    this.#events.length = 0;
    if (this.#inFlight === undefined) this.#write();
    else for (const piece of this.output.take()) this.#writeLast(piece);
    this.stop();
    this.#socket.end(done);
  }

  #writeLast({ memory, bytes }: OutputChunk): void {
    this.#socket.write(bytes, (error) => {
      if (!error) this.#pool.giveBack(memory);
    });
  }

  /** Stops all output. */
  stop(): void {
    this.#stopped = true;
    this.#line.length = 0;
    this.#events.length = 0;
    this.#parked.length = 0;
    for (const { memory } of this.output.take()) this.#pool.giveBack(memory);
  }
}

/** The dependencies of a sender. */
export interface SenderDependencies {
  readonly scheduler: FlushScheduler;
  readonly pool: BufferPool;
  /** The connection, as the scheduler sees it. */
  readonly member: FlushMember;
  readonly owner: SenderOwner;
}
