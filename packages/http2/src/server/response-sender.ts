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
 * Bytes gathered from which on no body's frame is added to a write, so that what comes later need not wait for long: one more
 * frame of the usual size still lies in the same piece of memory. TLS copies a write of several pieces into one of its own.
 */
const WRITE_BYTES = LARGE_BUFFER - FRAME_HEADER - DEFAULT_FRAME_SIZE;
/** Bytes gathered that the socket has not taken, from which on nothing more is read. */
const STALLED_BYTES = 512 * 1024;

/** Gets what a sender cannot do itself. */
export interface SenderOwner {
  /** The answer's last frame has been gathered. */
  answered(stream: ServerStream): void;
  /** The socket has taken what was gathered before. */
  written(): void;
}

/**
 * The sending side of a connection: gathers what its streams have to say, in turn and as far as the other side's windows go,
 * and hands it to the socket in one write at a time. All that is sent until the end of a turn of the event loop leaves together.
 */
export class ResponseSender implements Pick<FlushMember, 'flush'> {
  readonly output: OutputBuffer;
  readonly #socket: Duplex;
  readonly #pool: BufferPool;
  readonly #owner: SenderOwner;
  readonly #encoder = new HpackEncoder();
  readonly #member: FlushMember;
  readonly #scheduler: FlushScheduler;
  /** Those that have something to send, in the order of their turns. */
  #line: ServerStream[] = [];
  /** Those of them whose turn comes first. */
  #events: ServerStream[] = [];
  /** Those that wait for a window. */
  #parked: ServerStream[] = [];
  #sendWindow = DEFAULT_WINDOW;
  /** What the socket has not taken yet. */
  #inFlight: readonly OutputChunk[] | undefined = undefined;
  readonly #progress: SocketProgress;
  /** What was gathered last has bytes of a body in it. */
  #hasData = false;
  #dataSince = 0;
  #blockedSince = 0;
  #isDirty = false;
  /** Is flushed before others. */
  #isFirst = false;
  #stopped = false;
  /** What a stream's window is at first. */
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

  /** So much waits for the socket that nothing should be added. */
  get isStalled(): boolean {
    return this.output.length > STALLED_BYTES;
  }

  /** All that was gathered is with the socket. */
  get isIdle(): boolean {
    return this.#inFlight === undefined && this.output.length === 0;
  }

  /** Monotonic milliseconds since when the socket has taken nothing of what it was given; undefined: it has all. */
  stuckSince(now: number): number | undefined {
    return this.#inFlight === undefined ? undefined : this.#progress.stuckSince(now);
  }

  /** Monotonic milliseconds when bytes of a body were last handed to the socket, which had taken all before; 0: never. */
  get dataSince(): number {
    return this.#dataSince;
  }

  /** Monotonic milliseconds since when the connection has no window for what waits, and was given none; 0: it has. */
  get blockedSince(): number {
    return this.#blockedSince;
  }

  /** Counts anew how long the connection's window is shut. */
  forgive(now: number): void {
    if (this.#blockedSince !== 0) this.#blockedSince = now;
  }

  set headerTableSize(bytes: number) {
    this.#encoder.setTableSize(bytes);
  }

  /** What was gathered leaves at the end of this turn. */
  flushSoon(): void {
    if (this.#isDirty || this.#stopped) return;
    this.#isDirty = true;
    this.#scheduler.flushLater(this.#member);
  }

  /** A stream has something to send. */
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

  /** Gathers the head of an answer, behind the events that have come before it. */
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

  /** The other side takes so much more of a stream, or of all. Throws Http2Error. */
  enlarge(by: number): void {
    this.#sendWindow = enlarged(this.#sendWindow, by);
    this.#blockedSince = 0;
    this.unpark();
  }

  /** Windows have opened: whoever waited tries again. */
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

  /** A stream is over. */
  forget(stream: ServerStream): void {
    if (stream.parked) this.#parked = this.#parked.filter((other) => other !== stream);
  }

  /** Gathers what streams have to say and hands it to the socket, unless that has not taken the last yet. */
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
    // A stream with more than one frame returns to the end of the line, where new streams join too. At least one gets its
    // turn, however many events there are.
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
    this.#owner.answered(stream);
  }

  /** At most one frame. Answers whether the stream has said all. */
  #sendData(stream: ServerStream): boolean {
    const queued = stream.queuedBytes;
    // A window may be below nothing; the end of an answer needs none.
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

  /** It waits for a window. */
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
    // What failed may still be in somebody's hands.
    if (pieces === undefined || error) return;
    for (const { memory } of pieces) this.#pool.giveBack(memory);
    if (this.#stopped) return;
    this.#owner.written();
    if (this.output.length > 0 || this.#line.length > 0 || this.#events.length > 0) this.#member.flush();
  };

  /** Sends what has been gathered and nothing more of any stream; `done` when the socket has it, or never will. */
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

  /** Nothing is sent any more. */
  stop(): void {
    this.#stopped = true;
    this.#line.length = 0;
    this.#events.length = 0;
    this.#parked.length = 0;
    for (const { memory } of this.output.take()) this.#pool.giveBack(memory);
  }
}

/** What a sender works with. */
export interface SenderDependencies {
  readonly scheduler: FlushScheduler;
  readonly pool: BufferPool;
  /** Who is in the turn's line for this sender. */
  readonly member: FlushMember;
  readonly owner: SenderOwner;
}
