import type { Duplex } from 'node:stream';
import { errorOf } from '../frames/error-of.js';
import { FrameType, Http2Code, Http2Error } from '../frames/frame-types.js';
import { StreamTable } from '../frames/stream-table.js';
import { endSocket, GOAWAY_MS, UNREAD_MS } from './end-socket.js';
import { FloodGuard } from './flood-guard.js';
import type { FlushMember } from './flush-scheduler.js';
import type { Http2ServerContext, ServedConnection } from './http2-server-context.js';
import { receiveChunks } from './receive-chunks.js';
import { RecentIds } from './recent-ids.js';
import { refuseTooLarge } from './refuse-too-large.js';
import type { RequestHead } from './request-head.js';
import { RequestReader, type RequestReaderOwner, WINDOW_PART } from './request-reader.js';
import { ResponseSender, type SenderOwner } from './response-sender.js';
import { sendPreface } from './server-preface.js';
import { type HeaderFields, ServerStream, type ServerStreamOwner } from './server-stream.js';
import { stalledStreams } from './stalled-streams.js';
import type { SlowReader } from './unread-bytes.js';

/** The highest stream id. A GOAWAY with it announces the end without rejecting any request. */
const LAST_ID = 2 ** 31 - 1;
/** From this number of bytes in held frames on, the socket is not read. */
const MAX_HELD = 256 * 1024;
/**
 * Bytes that a chunk counts beside its own: each may be a record of one byte. The small frames of many watches, which one
 * read of the socket brings, must fit into a turn.
 */
const CHUNK_COST = 16;
/**
 * Bytes of responses that a client may leave unread for `UNREAD_MS`; with more, it has `GREEDY_MS`. Lists that are
 * encoded while they are read stay below it, with one on each of 100 streams.
 */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const GREEDY_MS = 5_000;
/** Time for the first SETTINGS of the client, in milliseconds. Upstream: prefaceTimeout in x/net/http2/server.go */
const PREFACE_MS = 10_000;

/**
 * The server side of an HTTP/2 connection. Errors of the client end its stream or its connection. Requests are
 * dispatched one by one, with a limit for each turn of the event loop.
 *
 * Upstream: golang.org/x/net/http2/server.go; RFC 9113
 */
export class Http2ServerConnection
  implements ServedConnection, ServerStreamOwner, SenderOwner, RequestReaderOwner, FlushMember, SlowReader
{
  readonly #context: Http2ServerContext;
  readonly #socket: Duplex;
  readonly #sender: ResponseSender;
  readonly #reader: RequestReader;
  readonly #streams = new StreamTable<ServerStream>();
  readonly #guard = new FloodGuard();
  /** Streams that this side has recently ended: frames for them may still arrive. */
  readonly #recentlyReset: RecentIds;
  /** Monotonic milliseconds since when no stream is open. */
  #idleSince: number;
  /** Last stream that is served; undefined: there is no limit yet. */
  #lastId: number | undefined = undefined;
  #isClosed = false;
  /** The scheduler holds this connection. */
  #isHeld = false;
  /** Bytes of responses that wait. */
  #waiting = 0;
  /** Bytes of responses and of the heads of open requests. */
  #unread = 0;
  /** Too much output waits: the socket is not read. */
  #isStalled = false;
  /** So much has been read in one turn that the socket is not read for now. */
  #isReadEnough = false;
  /** Bytes that were read in the turn `#readIn`, and the cost of their chunks. */
  #readBytes = 0;
  #readIn = 0;

  /** Takes ownership of the socket. */
  constructor(socket: Duplex, context: Http2ServerContext) {
    this.#socket = socket;
    this.#context = context;
    const { scheduler, pool, maxConcurrentStreams } = context;
    // Twice the number that may be open: those with an early response, and those reset before late frames arrive.
    this.#recentlyReset = new RecentIds(2 * maxConcurrentStreams);
    this.#sender = new ResponseSender(socket, { scheduler, pool, member: this, owner: this });
    const [streams, sender, guard] = [this.#streams, this.#sender, this.#guard];
    this.#reader = new RequestReader({ context, streams, sender, guard, owner: this });
    this.#idleSince = performance.now();
    context.unread.addReader(this);
    sendPreface(this.#sender, context);
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure = error;
    });
    const over = (): void => this.destroy(failure);
    receiveChunks(socket, (chunk) => this.#take(chunk));
    socket.on('end', over);
    socket.on('close', over);
  }

  sweep(now: number, idleTimeout: number): void {
    if (this.#isClosed) return;
    if (!this.#reader.isReady && now - this.#idleSince > PREFACE_MS) this.destroy();
    else if (this.#streams.size === 0 && now - this.#idleSince >= idleTimeout) this.goAway();
    else if (now - (this.#sender.stuckSince(now) ?? now) >= UNREAD_MS) this.cutOff();
    if (this.#streams.size === 0) return;
    for (const stream of this.#streams.all()) {
      if (stream.giveUpAt !== 0 && stream.giveUpAt <= now) this.abandon(stream, Http2Code.cancel);
    }
    this.#cutStalled(now);
  }

  #cutStalled(now: number): void {
    const isGreedy = this.#waiting > MAX_WAITING_BYTES;
    const stalled = stalledStreams({
      streams: this.#streams.all(),
      now,
      patience: isGreedy ? GREEDY_MS : UNREAD_MS,
      starvation: isGreedy ? UNREAD_MS : undefined,
      blockedSince: this.#sender.blockedSince,
    });
    for (const stream of stalled) this.abandon(stream, Http2Code.cancel);
    // The client may return window credit for discarded bytes.
    if (stalled.length > 0) this.#sender.forgive(now);
  }

  get waitingBytes(): number {
    return this.#waiting - this.#sender.parkedBytes;
  }

  get unreadBytes(): number {
    return this.#unread;
  }

  stuckSince(now: number): number | undefined {
    const writing = this.#sender.stuckSince(now);
    let since = writing;
    for (const stream of this.#streams.all()) {
      if (stream.stuckSince !== 0 && (since === undefined || stream.stuckSince < since)) since = stream.stuckSince;
    }
    // One stream may stall while others are read.
    if (since === undefined) return undefined;
    return Math.max(since, this.#sender.dataSince, writing ?? 0);
  }

  cutOff(): void {
    this.destroy(new Error('the client does not read its responses'));
  }

  goAway(): void {
    if (this.#lastId !== undefined || this.#isClosed) return;
    this.#lastId = this.#reader.maxId;
    this.#goaway(this.#lastId, Http2Code.noError);
    this.#endWhenIdle();
  }

  destroy(error?: Error): void {
    this.#socket.destroy();
    this.#sender.stop();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reader.stop();
    this.#context.unread.removeReader(this);
    this.#context.closed(this, error);
    this.#closeAll();
  }

  // Methods for streams.

  respond(stream: ServerStream, status: number, fields: HeaderFields, endStream: boolean): void {
    this.#sender.respond(stream, status, fields, endStream);
  }

  wake(stream: ServerStream): void {
    this.#sender.wake(stream);
  }

  queued(bytes: number): void {
    this.#waiting += bytes;
    this.#keep(bytes);
  }

  #keep(bytes: number): void {
    this.#unread += bytes;
    this.#context.unread.add(bytes);
  }

  abandon(stream: ServerStream, code: number): void {
    stream.resetCode = code;
    this.#reset(stream.id, code);
    this.#close(stream);
  }

  consumed(stream: ServerStream, bytes: number): void {
    this.#reader.returnCredit(bytes);
    if (stream.closed || stream.remoteEnded) return;
    stream.unreturned += bytes;
    if (stream.unreturned < this.#context.initialWindowSize / WINDOW_PART) return;
    this.#sender.output.frame32(FrameType.windowUpdate, stream.id, stream.unreturned);
    this.#sender.flushSoon();
    stream.receiveWindow += stream.unreturned;
    stream.unreturned = 0;
  }

  // Methods for the scheduler and the sender.

  flush(): void {
    // A receiver may throw; other connections must still be flushed.
    this.#guarded(() => this.#sender.flush());
  }

  resume(): void {
    this.#isHeld = false;
    if (this.#isClosed || this.#isStalled) return;
    this.#guarded(() => this.#reader.resume());
    this.#readOn();
  }

  readAgain(): void {
    this.#isReadEnough = false;
    if (!this.#isClosed) this.#readOn();
  }

  #readOn(): void {
    if (!this.#isStalled && !this.#isReadEnough && this.#reader.held < MAX_HELD) this.#socket.resume();
  }

  responded(stream: ServerStream): void {
    if (!stream.remoteEnded) this.#wantNoMore(stream.id);
    this.#close(stream);
  }

  /**
   * Tells the client to stop sending a request that already has a response. The reset is sent in a later turn than
   * the response: curl discards a response that it reads together with the reset.
   */
  #wantNoMore(id: number): void {
    this.#recentlyReset.add(id);
    setImmediate(() => {
      if (!this.#isClosed) this.#reset(id, Http2Code.noError);
    });
  }

  written(): void {
    if (this.#sender.isIdle) this.#guard.repliesRead();
    if (this.#isStalled && !this.#sender.isStalled) {
      this.#isStalled = false;
      this.#hold();
    }
  }

  // Input.

  #take(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#countRead(chunk.length + CHUNK_COST);
    this.#guarded(() => this.#reader.push(chunk));
    if (this.#reader.held >= MAX_HELD) this.#socket.pause();
  }

  /** A client that sends much must not delay the others: all sockets with data are read before anything else happens. */
  #countRead(bytes: number): void {
    const { scheduler } = this.#context;
    if (this.#readIn !== scheduler.turn) this.#readBytes = 0;
    this.#readIn = scheduler.turn;
    this.#readBytes += bytes;
    if (this.#isReadEnough || scheduler.mayRead(this.#readBytes, this)) return;
    this.#isReadEnough = true;
    this.#socket.pause();
  }

  /** Errors of the client end its connection. */
  #guarded(read: () => void): void {
    try {
      read();
      if (this.#sender.isStalled && !this.#isStalled && !this.#isClosed) {
        this.#isStalled = true;
        this.#reader.suspend();
        this.#socket.pause();
      }
    } catch (error) {
      this.#refuse(errorOf(error));
    }
  }

  // Methods for the reader.

  get lastId(): number | undefined {
    return this.#lastId;
  }

  open(id: number, head: RequestHead, endStream: boolean, isWhole: boolean): void {
    const windows = {
      send: this.#sender.initialWindow,
      receive: this.#context.initialWindowSize,
      remoteEnded: endStream,
    };
    const stream = new ServerStream(id, head, this, windows);
    this.#streams.add(stream);
    this.#keep(head.size);
    if (isWhole) this.#context.request(stream, this);
    else refuseTooLarge(stream);
    if (this.#context.scheduler.noteRequest()) this.#hold();
  }

  /** Holds further requests until other connections have been served. */
  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#reader.suspend();
    this.#context.scheduler.hold(this);
  }

  mayBeOnItsWay(id: number): boolean {
    return (this.#lastId !== undefined && id > this.#lastId) || this.#recentlyReset.has(id);
  }

  wasReset(stream: ServerStream, code: number): void {
    stream.resetCode = code;
    this.#close(stream);
    // A client that has received the response head may cancel the rest any number of times, as with watches.
    if (!stream.responded) this.#noteReset();
  }

  // Ends of streams and of the connection.

  /** Stream errors count as resets, because they cost the server as much. */
  streamError(id: number, code: number): void {
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.abandon(stream, code);
    else this.#reset(id, code);
    this.#noteReset();
  }

  #reset(id: number, code: number): void {
    this.#recentlyReset.add(id);
    this.#sender.output.frame32(FrameType.reset, id, code);
    this.#sender.flushSoon();
  }

  #noteReset(): void {
    if (!this.#guard.noteReset(performance.now()) || this.#lastId !== undefined) return;
    this.#goaway(LAST_ID, Http2Code.noError);
  }

  #close(stream: ServerStream): void {
    if (stream.closed) return;
    this.#sender.forget(stream);
    const unread = this.#drop(stream);
    stream.tell();
    if (this.#isClosed) return;
    if (unread > 0) this.#reader.returnCredit(unread);
    if (this.#streams.size > 0) return;
    this.#idleSince = performance.now();
    this.#endWhenIdle();
  }

  #drop(stream: ServerStream): number {
    this.#streams.remove(stream);
    this.#keep(-stream.head.size);
    return stream.close();
  }

  /** The connection has ended, and sends no more. */
  #closeAll(): void {
    const streams = this.#streams.all();
    for (const stream of streams) this.#drop(stream);
    this.#context.ended.tell(streams);
  }

  #goaway(lastId: number, code: number): void {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(lastId, 0);
    payload.writeUInt32BE(code, 4);
    this.#sender.output.frame(FrameType.goaway, 0, 0, payload);
    this.#sender.flushSoon();
  }

  #endWhenIdle(): void {
    if (this.#lastId !== undefined && this.#streams.size === 0) this.#end(undefined);
  }

  /** The client violated the protocol, or a handler failed. */
  #refuse(error: Error): void {
    if (this.#isClosed) return;
    // A GOAWAY must not name a later stream than an earlier GOAWAY did.
    this.#goaway(
      this.#lastId ?? this.#reader.maxId,
      error instanceof Http2Error ? error.http2Code : Http2Code.internalError,
    );
    this.#end(error);
  }

  #end(error: Error | undefined): void {
    this.#isClosed = true;
    this.#reader.stop();
    endSocket(this.#socket, this.#sender, error === undefined ? UNREAD_MS : GOAWAY_MS);
    this.#context.unread.removeReader(this);
    this.#context.closed(this, error);
    this.#closeAll();
  }
}
