import type { Duplex } from 'node:stream';
import { type FrameHandlers, FrameReader } from '../frames/frame-reader.js';
import { checkFrame, checkSetting, checkSettings, enlarged, protocolError } from '../frames/frame-rules.js';
import { FrameFlag, FrameType, Http2Code, Http2Error, Http2StreamError, Setting } from '../frames/frame-types.js';
import { type HeaderBlock, HeaderBlocks } from '../frames/header-blocks.js';
import { ReceiveWindow } from '../frames/receive-window.js';
import { StreamTable } from '../frames/stream-table.js';
import { HpackDecoder } from '../hpack/hpack-decoder.js';
import type { HeaderField } from '../hpack/static-table.js';
import { AnswerSender, type SenderOwner } from './answer-sender.js';
import { FloodGuard } from './flood-guard.js';
import { greet } from './greeting.js';
import type { Http2ServerContext, ServedConnection } from './http2-server-context.js';
import { endSocket, LEAVE_MS, UNREAD_MS } from './last-words.js';
import { RecentIds } from './recent-ids.js';
import { RequestHeadBuilder } from './request-head.js';
import { type HeaderFields, ServerStream, type ServerStreamOwner } from './server-stream.js';
import { refuseTooLarge } from './too-large.js';
import type { TurnMember } from './turn.js';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** The highest stream id: a GOAWAY with it announces the end without giving up on any request. */
const LAST_ID = 2 ** 31 - 1;
/** Bytes that wait to be handed on, from which on the socket is not read. */
const MAX_HELD = 256 * 1024;
/** Milliseconds for the other side's first settings. Upstream: prefaceTimeout in x/net/http2/server.go */
const PREFACE_MS = 10_000;
/** The part of a window that has to be used before leave for more is given. */
const WINDOW_PART = 4;

/**
 * The server's end of an HTTP/2 connection over a socket that speaks it already. All a client may do wrong ends its stream or
 * its connection here; requests are handed on one by one, and less of them in a turn of the event loop when they take long.
 *
 * Upstream: golang.org/x/net/http2/server.go; RFC 9113
 */
export class Http2ServerConnection implements ServedConnection, ServerStreamOwner, SenderOwner, TurnMember {
  readonly #context: Http2ServerContext;
  readonly #socket: Duplex;
  readonly #sender: AnswerSender;
  readonly #reader: FrameReader;
  readonly #blocks: HeaderBlocks;
  readonly #headers: HpackDecoder;
  readonly #streams = new StreamTable<ServerStream>();
  readonly #guard = new FloodGuard();
  /** Those that this side has ended lately: what is on its way to them is nobody's fault. */
  readonly #recentlyReset: RecentIds;
  #builder = new RequestHeadBuilder();
  readonly #field = (field: HeaderField): void => this.#builder.field(field.name, field.value);
  /** Monotonic milliseconds since when no stream is open. */
  #idleSince: number;
  /** Bytes of the preface that have come. */
  #prefaceBytes = 0;
  #isReady = false;
  /** The client has seen our settings. */
  #isAcknowledged = false;
  /** The highest id of a stream that the client has opened. */
  #maxId = 0;
  /** Streams after this one are not served any more; undefined: all are. */
  #lastId: number | undefined = undefined;
  #isClosed = false;
  /** Waits in the turn's line for its next requests. */
  #isHeld = false;
  /** Too much waits for the socket to read more. */
  #isStalled = false;
  readonly #window: ReceiveWindow;

  /** Takes the socket over. */
  constructor(socket: Duplex, context: Http2ServerContext) {
    this.#socket = socket;
    this.#context = context;
    const { turn, pool, maxFrameSize, maxHeaderListSize, connectionWindow, maxConcurrentStreams } = context;
    // As many may be answered early at once, and as many be reset before what is on its way to those has come.
    this.#recentlyReset = new RecentIds(2 * maxConcurrentStreams);
    this.#sender = new AnswerSender(socket, { turn, pool, member: this, owner: this });
    this.#blocks = new HeaderBlocks(maxHeaderListSize);
    this.#headers = new HpackDecoder(maxHeaderListSize);
    const handlers: FrameHandlers = {
      frame: (type, flags, id, payload) => this.#frame(type, flags, id, payload),
      data: (id, chunk, endStream, padding) => this.#data(id, chunk, endStream, padding),
    };
    this.#reader = new FrameReader(handlers, maxFrameSize);
    this.#window = new ReceiveWindow(connectionWindow, connectionWindow / WINDOW_PART);
    this.#idleSince = performance.now();
    greet(this.#sender, context);
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure = error;
    });
    const over = (): void => this.destroy(failure);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', over);
    socket.on('close', over);
  }

  sweep(now: number, idleTimeout: number): void {
    if (this.#isClosed) return;
    if (!this.#isReady && now - this.#idleSince > PREFACE_MS) this.destroy();
    else if (this.#streams.size === 0 && now - this.#idleSince >= idleTimeout) this.leave();
    if (this.#streams.size === 0) return;
    for (const stream of this.#streams.all()) {
      if (stream.giveUpAt !== 0 && stream.giveUpAt <= now) this.abandon(stream, Http2Code.cancel);
    }
  }

  leave(): void {
    if (this.#lastId !== undefined || this.#isClosed) return;
    this.#lastId = this.#maxId;
    this.#goaway(this.#lastId, Http2Code.noError);
    this.#endWhenIdle();
  }

  destroy(error?: Error): void {
    this.#socket.destroy();
    this.#sender.stop();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#context.closed(this, error);
    for (const stream of this.#streams.all()) this.#close(stream);
  }

  // A stream's wishes.

  respond(stream: ServerStream, status: number, fields: HeaderFields, endStream: boolean): void {
    this.#sender.respond(stream, status, fields, endStream);
  }

  wake(stream: ServerStream): void {
    this.#sender.wake(stream);
  }

  abandon(stream: ServerStream, code: number): void {
    stream.resetCode = code;
    this.#reset(stream.id, code);
    this.#close(stream);
  }

  consumed(stream: ServerStream, bytes: number): void {
    this.#giveLeave(bytes);
    if (stream.closed || stream.remoteEnded) return;
    stream.unreturned += bytes;
    if (stream.unreturned < this.#context.initialWindowSize / WINDOW_PART) return;
    this.#sender.output.frame32(FrameType.windowUpdate, stream.id, stream.unreturned);
    this.#sender.flushSoon();
    stream.receiveWindow += stream.unreturned;
    stream.unreturned = 0;
  }

  // The turn's and the sender's.

  flush(): void {
    // Receivers are called from within it; what one of them throws must not keep other connections from being flushed.
    this.#guarded(() => this.#sender.flush());
  }

  resume(): void {
    this.#isHeld = false;
    if (this.#isClosed || this.#isStalled) return;
    this.#guarded(() => this.#reader.resume());
    if (this.#reader.held < MAX_HELD) this.#socket.resume();
  }

  answered(stream: ServerStream): void {
    if (!stream.remoteEnded) this.#wantNoMore(stream.id);
    this.#close(stream);
  }

  /**
   * The client may stop sending: nobody needs the rest of its request. It hears of that in a later turn than of the answer: curl
   * forgets what it reads in one go with the reset.
   */
  #wantNoMore(id: number): void {
    this.#recentlyReset.add(id);
    setImmediate(() => {
      if (!this.#isClosed) this.#reset(id, Http2Code.noError);
    });
  }

  written(): void {
    if (this.#sender.isIdle) this.#guard.answersRead();
    if (this.#isStalled && !this.#sender.isStalled) {
      this.#isStalled = false;
      this.#hold();
    }
  }

  // What the client sends.

  #take(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#guarded(() => {
      const frames = this.#prefaceBytes < PREFACE.length ? this.#preface(chunk) : chunk;
      if (frames.length > 0) this.#reader.push(frames);
    });
    if (this.#reader.held >= MAX_HELD) this.#socket.pause();
  }

  /** What the client does wrong ends its connection. */
  #guarded(read: () => void): void {
    try {
      read();
      if (this.#sender.isStalled && !this.#isStalled && !this.#isClosed) {
        this.#isStalled = true;
        this.#reader.suspend();
        this.#socket.pause();
      }
    } catch (error) {
      this.#refuse(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Answers what follows the preface. */
  #preface(chunk: Buffer): Buffer {
    const size = Math.min(chunk.length, PREFACE.length - this.#prefaceBytes);
    const wanted = PREFACE.subarray(this.#prefaceBytes, this.#prefaceBytes + size);
    if (!wanted.equals(chunk.subarray(0, size))) throw protocolError('the client does not begin with the preface');
    this.#prefaceBytes += size;
    return chunk.subarray(size);
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#isClosed) return;
    checkFrame(type, flags, id, payload.length);
    if (!this.#isReady && (type !== FrameType.settings || (flags & FrameFlag.ack) !== 0)) {
      throw protocolError('the client does not begin with its settings');
    }
    this.#blocks.expect(type, id);
    try {
      this.#dispatch(type, flags, id, payload);
    } catch (error) {
      if (!(error instanceof Http2StreamError)) throw error;
      this.#streamError(id, error.http2Code);
    }
  }

  #dispatch(type: number, flags: number, id: number, payload: Buffer): void {
    if (type === FrameType.headers) this.#headersOf(this.#blocks.begin(id, flags, payload));
    else if (type === FrameType.continuation) this.#headersOf(this.#blocks.continue(flags, payload));
    else if (type === FrameType.windowUpdate) this.#windowUpdate(id, payload.readUInt32BE(0) & 0x7fffffff);
    else if (type === FrameType.reset) this.#wasReset(id, payload.readUInt32BE(0));
    else if (type === FrameType.settings) this.#settings(flags, payload);
    else if (type === FrameType.ping) this.#pinged(flags, payload);
    else if (type === FrameType.goaway) this.leave();
    else if (type === FrameType.pushPromise) throw protocolError('a client pushes nothing');
    else if (type === FrameType.priority) this.#priority(id, payload);
    else this.#guard.noteIdleFrame(performance.now());
  }

  #headersOf(block: HeaderBlock | undefined): void {
    if (block === undefined) return;
    const { stream: id, endStream } = block;
    const stream = this.#streams.get(id);
    if (stream === undefined && (id % 2 === 0 || (id <= this.#maxId && !this.#mayBeOnItsWay(id)))) {
      throw protocolError(`the stream ${id} cannot be opened`);
    }
    // Whatever becomes of it: later blocks refer to this one.
    const isWhole = this.#headers.decode(block.bytes, this.#field);
    const isNew = stream === undefined && id > this.#maxId;
    if (isNew) this.#maxId = id;
    if (stream !== undefined) this.#trailers(stream, endStream);
    // The client hears that it has to ask somebody else.
    else if (isNew && this.#lastId === undefined) this.#open(block, isWhole);
    else this.#builder = new RequestHeadBuilder();
  }

  #open({ stream: id, endStream, waitsFor }: HeaderBlock, isWhole: boolean): void {
    const { maxConcurrentStreams, initialWindowSize } = this.#context;
    const head = this.#builder.finish(endStream);
    if (waitsFor === id) throw waitsForItself();
    if (this.#streams.size >= maxConcurrentStreams) {
      // Who has read our settings knows better. Upstream: processHeaders in x/net/http2/server.go
      const code = this.#isAcknowledged ? Http2Code.protocolError : Http2Code.refusedStream;
      throw new Http2StreamError(code, 'there are too many streams');
    }
    const windows = { send: this.#sender.initialWindow, receive: initialWindowSize, remoteEnded: endStream };
    const stream = new ServerStream(id, head, this, windows);
    this.#streams.add(stream);
    if (isWhole) this.#context.request(stream, this);
    else refuseTooLarge(stream);
    if (this.#context.turn.noteRequest()) this.#hold();
  }

  /** Further requests wait until others have had their turn. */
  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#reader.suspend();
    this.#context.turn.hold(this);
  }

  /** Nobody asks for them, but they have to be right. Upstream: processTrailerHeaders in x/net/http2/server.go */
  #trailers(stream: ServerStream, endStream: boolean): void {
    if (stream.remoteEnded) {
      this.#builder = new RequestHeadBuilder();
      throw new Http2StreamError(Http2Code.streamClosed, 'headers behind the end');
    }
    this.#builder.finishTrailers();
    if (!endStream) throw new Http2StreamError(Http2Code.protocolError, 'trailers that are not the end');
    this.#endBody(stream);
  }

  #data(id: number, chunk: Buffer, endStream: boolean, padding: number): void {
    if (this.#isClosed) return;
    if (!this.#isReady) throw protocolError('the client does not begin with its settings');
    this.#blocks.expect(FrameType.data, id);
    const size = chunk.length + padding;
    if (!this.#window.receive(size)) {
      throw new Http2Error(Http2Code.flowControlError, 'the connection has no such window');
    }
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.remoteEnded) this.#dataOfNobody(id, size);
    else if (size > stream.receiveWindow) {
      this.#giveLeave(size);
      this.#streamError(id, Http2Code.flowControlError);
    } else this.#dataOf(stream, chunk, endStream, padding);
  }

  #dataOf(stream: ServerStream, chunk: Buffer, endStream: boolean, padding: number): void {
    stream.receiveWindow -= chunk.length + padding;
    stream.bodyBytes += chunk.length;
    const { contentLength } = stream.head;
    if (contentLength !== undefined && stream.bodyBytes > contentLength) {
      this.#giveLeave(chunk.length + padding);
      this.#streamError(stream.id, Http2Code.protocolError);
      return;
    }
    if (padding > 0) this.consumed(stream, padding);
    if (chunk.length > 0) stream.take(chunk);
    else if (!endStream) this.#guard.noteIdleFrame(performance.now());
    if (endStream && !stream.closed) this.#endBody(stream);
  }

  #endBody(stream: ServerStream): void {
    const { contentLength } = stream.head;
    if (contentLength !== undefined && stream.bodyBytes !== contentLength) {
      this.#streamError(stream.id, Http2Code.protocolError);
    } else stream.endBody();
  }

  /** Data of a stream that is over, at least for the client, or was never opened. */
  #dataOfNobody(id: number, size: number): void {
    this.#expectOpened(id);
    this.#giveLeave(size);
    if (!this.#mayBeOnItsWay(id)) this.#streamError(id, Http2Code.streamClosed);
  }

  /** The client may have sent something for a stream that is not open before it heard why. */
  #mayBeOnItsWay(id: number): boolean {
    return (this.#lastId !== undefined && id > this.#lastId) || this.#recentlyReset.has(id);
  }

  /** Throws Http2Error for what the client cannot know of, the connection itself among them. */
  #expectOpened(id: number): void {
    if (id % 2 === 0 || id > this.#maxId) throw protocolError(`nobody has opened the stream ${id}`);
  }

  #giveLeave(bytes: number): void {
    const leave = this.#window.take(bytes);
    if (leave === 0) return;
    this.#sender.output.frame32(FrameType.windowUpdate, 0, leave);
    this.#sender.flushSoon();
  }

  #windowUpdate(id: number, by: number): void {
    if (id === 0) {
      if (by === 0) throw protocolError('a window is enlarged by nothing');
      this.#sender.enlarge(by);
      return;
    }
    this.#expectOpened(id);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (by === 0) throw new Http2StreamError(Http2Code.protocolError, 'a window is enlarged by nothing');
    if (stream.sendWindow + by > LAST_ID)
      throw new Http2StreamError(Http2Code.flowControlError, 'a window is too large');
    stream.sendWindow += by;
    if (stream.parked) this.#sender.unpark(stream);
  }

  #wasReset(id: number, code: number): void {
    this.#expectOpened(id);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.resetCode = code;
    this.#close(stream);
    // Who waited for the head of an answer does no harm by giving up the rest, as often as that may be: a watch, say.
    if (!stream.responded) this.#noteReset();
  }

  #priority(id: number, payload: Buffer): void {
    if (id === 0) throw protocolError('the connection has no priority');
    this.#guard.noteIdleFrame(performance.now());
    if (payload.length === 5 && (payload.readUInt32BE(0) & LAST_ID) === id) throw waitsForItself();
    if (payload.length !== 5) throw new Http2StreamError(Http2Code.frameSizeError, 'a priority of another size');
  }

  #settings(flags: number, payload: Buffer): void {
    if ((flags & FrameFlag.ack) !== 0) {
      // As upstream: processSettings in x/net/http2/server.go
      if (this.#isAcknowledged) throw protocolError('settings are acknowledged that were never sent');
      this.#isAcknowledged = true;
      return;
    }
    checkSettings(payload);
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      this.#setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
    this.#isReady = true;
    this.#answer(FrameType.settings, new Uint8Array(0));
  }

  #setting(id: number, value: number): void {
    checkSetting(id, value);
    if (id === Setting.headerTableSize) this.#sender.headerTableSize = value;
    else if (id === Setting.maxFrameSize) this.#sender.maxFrame = value;
    else if (id === Setting.initialWindowSize) {
      const change = value - this.#sender.initialWindow;
      this.#sender.initialWindow = value;
      for (const stream of this.#streams.all()) stream.sendWindow = enlarged(stream.sendWindow, change);
      this.#sender.unpark();
    }
  }

  #pinged(flags: number, payload: Buffer): void {
    // We ask for none.
    if ((flags & FrameFlag.ack) === 0) this.#answer(FrameType.ping, payload);
  }

  #answer(type: number, payload: Uint8Array): void {
    this.#guard.noteIdleFrame(performance.now());
    this.#guard.noteAnswer();
    this.#sender.output.frame(type, FrameFlag.ack, 0, payload);
    this.#sender.flushSoon();
  }

  // How streams and the connection end.

  /** The client did what ends a stream. It must not make us work for nothing that way. */
  #streamError(id: number, code: number): void {
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
    this.#streams.remove(stream);
    this.#sender.forget(stream);
    const unread = stream.close();
    if (this.#isClosed) return;
    if (unread > 0) this.#giveLeave(unread);
    if (this.#streams.size > 0) return;
    this.#idleSince = performance.now();
    this.#endWhenIdle();
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

  /** The client breaks the protocol, or a handler failed. */
  #refuse(error: Error): void {
    if (this.#isClosed) return;
    // Never a later stream than one GOAWAY has named before.
    this.#goaway(this.#lastId ?? this.#maxId, error instanceof Http2Error ? error.http2Code : Http2Code.internalError);
    this.#end(error);
  }

  #end(error: Error | undefined): void {
    this.#isClosed = true;
    endSocket(this.#socket, this.#sender, error === undefined ? UNREAD_MS : LEAVE_MS);
    this.#context.closed(this, error);
    for (const stream of this.#streams.all()) this.#close(stream);
  }
}

/** Upstream: checkPriority in x/net/http2/server.go */
function waitsForItself(): Http2StreamError {
  return new Http2StreamError(Http2Code.protocolError, 'a stream waits for itself');
}
