import { type FrameHandlers, FrameReader } from '../frames/frame-reader.js';
import { checkFrame, checkSetting, checkSettings, enlarged, protocolError } from '../frames/frame-rules.js';
import { FrameFlag, FrameType, Http2Code, Http2Error, Http2StreamError, Setting } from '../frames/frame-types.js';
import { type HeaderBlock, HeaderBlocks } from '../frames/header-blocks.js';
import { ReceiveWindow } from '../frames/receive-window.js';
import type { StreamTable } from '../frames/stream-table.js';
import { HpackDecoder } from '../hpack/hpack-decoder.js';
import type { HeaderField } from '../hpack/static-table.js';
import type { FloodGuard } from './flood-guard.js';
import type { Http2ServerContext } from './http2-server-context.js';
import { MAX_FIELDS, type RequestHead, RequestHeadBuilder } from './request-head.js';
import type { ResponseSender } from './response-sender.js';
import type { ServerStream } from './server-stream.js';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** The highest stream id, and the largest window. */
const LAST_ID = 2 ** 31 - 1;
/** The part of a window that has to be used before leave for more is given. */
export const WINDOW_PART = 4;

/** Gets what comes of a client's frames. */
export interface RequestReaderOwner {
  /** Streams after this one are not served any more; undefined: all are. */
  readonly lastId: number | undefined;
  /** A request has come. With `isWhole` false its head was larger than allowed, and is not all there. */
  open(id: number, head: RequestHead, endStream: boolean, isWhole: boolean): void;
  /** So many bytes of a body have been taken. */
  consumed(stream: ServerStream, bytes: number): void;
  /** The client may have sent something for a stream that is not open before it heard why. */
  mayBeOnItsWay(id: number): boolean;
  /** The client did what ends a stream. */
  streamError(id: number, code: number): void;
  /** The client has given a stream up. */
  wasReset(stream: ServerStream, code: number): void;
  /** The client goes. */
  goAway(): void;
}

/** What a reader works with. */
export interface RequestReaderDependencies {
  readonly context: Http2ServerContext;
  readonly streams: StreamTable<ServerStream>;
  readonly sender: ResponseSender;
  readonly guard: FloodGuard;
  readonly owner: RequestReaderOwner;
}

/**
 * The receiving side of a connection: judges what a client sends and hands it to its streams. What ends the connection is thrown
 * as an Http2Error. Upstream: golang.org/x/net/http2/server.go; RFC 9113
 */
export class RequestReader {
  readonly #context: Http2ServerContext;
  readonly #streams: StreamTable<ServerStream>;
  readonly #sender: ResponseSender;
  readonly #guard: FloodGuard;
  readonly #owner: RequestReaderOwner;
  readonly #reader: FrameReader;
  readonly #blocks: HeaderBlocks;
  readonly #headers: HpackDecoder;
  readonly #window: ReceiveWindow;
  #builder = new RequestHeadBuilder();
  readonly #field = (field: HeaderField): void => this.#builder.field(field.name, field.value);
  /** Bytes of the preface that have come. */
  #prefaceBytes = 0;
  #isReady = false;
  /** The client has seen our settings. */
  #isAcknowledged = false;
  #maxId = 0;
  #stopped = false;

  constructor({ context, streams, sender, guard, owner }: RequestReaderDependencies) {
    this.#context = context;
    this.#streams = streams;
    this.#sender = sender;
    this.#guard = guard;
    this.#owner = owner;
    const { maxFrameSize, maxHeaderListSize, connectionWindow } = context;
    this.#blocks = new HeaderBlocks(maxHeaderListSize);
    this.#headers = new HpackDecoder(maxHeaderListSize);
    this.#window = new ReceiveWindow(connectionWindow, connectionWindow / WINDOW_PART);
    const handlers: FrameHandlers = {
      frame: (type, flags, id, payload) => this.#frame(type, flags, id, payload),
      data: (id, chunk, endStream, padding) => this.#data(id, chunk, endStream, padding),
    };
    this.#reader = new FrameReader(handlers, maxFrameSize);
  }

  /** The client's settings have come. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** The highest id of a stream that the client has opened. */
  get maxId(): number {
    return this.#maxId;
  }

  /** Bytes that wait because nothing may be handed on. */
  get held(): number {
    return this.#reader.held;
  }

  /** Takes what has come. Throws Http2Error. */
  push(chunk: Buffer): void {
    const frames = this.#prefaceBytes < PREFACE.length ? this.#preface(chunk) : chunk;
    if (frames.length > 0) this.#reader.push(frames);
  }

  /** Hands nothing on, from the next frame on, until `resume`. */
  suspend(): void {
    this.#reader.suspend();
  }

  /** Throws Http2Error. */
  resume(): void {
    this.#reader.resume();
  }

  /** Nothing is handed on any more. */
  stop(): void {
    this.#stopped = true;
  }

  /** So many bytes of bodies have been taken, or are nobody's: the client may send as many. */
  returnCredit(bytes: number): void {
    const leave = this.#window.take(bytes);
    if (leave === 0) return;
    this.#sender.output.frame32(FrameType.windowUpdate, 0, leave);
    this.#sender.flushSoon();
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
    if (this.#stopped) return;
    checkFrame(type, flags, id, payload.length);
    if (!this.#isReady && (type !== FrameType.settings || (flags & FrameFlag.ack) !== 0)) {
      throw protocolError('the client does not begin with its settings');
    }
    this.#blocks.expect(type, id);
    try {
      this.#dispatch(type, flags, id, payload);
    } catch (error) {
      if (!(error instanceof Http2StreamError)) throw error;
      this.#owner.streamError(id, error.http2Code);
    }
  }

  #dispatch(type: number, flags: number, id: number, payload: Buffer): void {
    if (type === FrameType.headers) this.#headersOf(this.#blocks.begin(id, flags, payload));
    else if (type === FrameType.continuation) this.#headersOf(this.#blocks.continue(flags, payload));
    else if (type === FrameType.windowUpdate) this.#windowUpdate(id, payload.readUInt32BE(0) & 0x7fffffff);
    else if (type === FrameType.reset) this.#wasReset(id, payload.readUInt32BE(0));
    else if (type === FrameType.settings) this.#settings(flags, payload);
    else if (type === FrameType.ping) this.#pinged(flags, payload);
    else if (type === FrameType.goaway) this.#owner.goAway();
    else if (type === FrameType.pushPromise) throw protocolError('a client pushes nothing');
    else if (type === FrameType.priority) this.#priority(id, payload);
    else this.#guard.noteIdleFrame(performance.now());
  }

  #headersOf(block: HeaderBlock | undefined): void {
    if (block === undefined) return;
    const { stream: id, endStream } = block;
    const stream = this.#streams.get(id);
    if (stream === undefined && (id % 2 === 0 || (id <= this.#maxId && !this.#owner.mayBeOnItsWay(id)))) {
      throw protocolError(`the stream ${id} cannot be opened`);
    }
    // Whatever becomes of it: later blocks refer to this one.
    const isWhole = this.#headers.decode(block.bytes, this.#field);
    const isNew = stream === undefined && id > this.#maxId;
    if (isNew) this.#maxId = id;
    if (stream !== undefined) this.#trailers(stream, endStream);
    // The client hears that it has to ask somebody else.
    else if (isNew && this.#owner.lastId === undefined) this.#open(block, isWhole);
    else this.#builder = new RequestHeadBuilder();
  }

  #open({ stream: id, endStream, waitsFor }: HeaderBlock, isWhole: boolean): void {
    const head = this.#builder.finish(endStream);
    if (waitsFor === id) throw waitsForItself();
    if (this.#streams.size >= this.#context.maxConcurrentStreams) {
      // Who has read our settings knows better. Upstream: processHeaders in x/net/http2/server.go
      const code = this.#isAcknowledged ? Http2Code.protocolError : Http2Code.refusedStream;
      throw new Http2StreamError(code, 'there are too many streams');
    }
    this.#owner.open(id, head, endStream, isWhole && head.rawHeaders.length <= 2 * MAX_FIELDS);
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
    if (this.#stopped) return;
    if (!this.#isReady) throw protocolError('the client does not begin with its settings');
    this.#blocks.expect(FrameType.data, id);
    const size = chunk.length + padding;
    if (!this.#window.receive(size)) {
      throw new Http2Error(Http2Code.flowControlError, 'the connection has no such window');
    }
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.remoteEnded) this.#dataOfNobody(id, size);
    else if (size > stream.receiveWindow) {
      this.returnCredit(size);
      this.#owner.streamError(id, Http2Code.flowControlError);
    } else this.#dataOf(stream, chunk, endStream, padding);
  }

  #dataOf(stream: ServerStream, chunk: Buffer, endStream: boolean, padding: number): void {
    stream.receiveWindow -= chunk.length + padding;
    stream.bodyBytes += chunk.length;
    const { contentLength } = stream.head;
    if (contentLength !== undefined && stream.bodyBytes > contentLength) {
      this.returnCredit(chunk.length + padding);
      this.#owner.streamError(stream.id, Http2Code.protocolError);
      return;
    }
    if (padding > 0) this.#owner.consumed(stream, padding);
    if (chunk.length > 0) stream.take(chunk);
    else if (!endStream) this.#guard.noteIdleFrame(performance.now());
    if (endStream && !stream.closed) this.#endBody(stream);
  }

  #endBody(stream: ServerStream): void {
    const { contentLength } = stream.head;
    if (contentLength !== undefined && stream.bodyBytes !== contentLength) {
      this.#owner.streamError(stream.id, Http2Code.protocolError);
    } else stream.endBody();
  }

  /** Data of a stream that is over, at least for the client, or was never opened. */
  #dataOfNobody(id: number, size: number): void {
    this.#expectOpened(id);
    this.returnCredit(size);
    if (!this.#owner.mayBeOnItsWay(id)) this.#owner.streamError(id, Http2Code.streamClosed);
  }

  /** Throws Http2Error for what the client cannot know of, the connection itself among them. */
  #expectOpened(id: number): void {
    if (id % 2 === 0 || id > this.#maxId) throw protocolError(`nobody has opened the stream ${id}`);
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
    stream.enlarge(by);
    if (stream.parked) this.#sender.unpark(stream);
  }

  #wasReset(id: number, code: number): void {
    this.#expectOpened(id);
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#owner.wasReset(stream, code);
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
    this.#guard.noteUnreadReply();
    this.#sender.output.frame(type, FrameFlag.ack, 0, payload);
    this.#sender.flushSoon();
  }
}

/** Upstream: checkPriority in x/net/http2/server.go */
function waitsForItself(): Http2StreamError {
  return new Http2StreamError(Http2Code.protocolError, 'a stream waits for itself');
}
