import { type FrameHandlers, FrameReader } from '../frames/frame-reader.js';
import { checkFrame, checkSetting, checkSettings, enlarged, protocolError } from '../frames/frame-rules.js';
import { FrameFlag, FrameType, Http2Code, Http2Error, Http2StreamError, Setting } from '../frames/frame-types.js';
import { HeaderBlocks, type HeaderFragment } from '../frames/header-blocks.js';
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
/** A window is reopened when 1/WINDOW_PART of it has been used. */
export const WINDOW_PART = 4;

/** Handlers of the events that the frames of a client cause. */
export interface RequestReaderOwner {
  /** Last stream that is served; undefined: there is no limit yet. */
  readonly lastId: number | undefined;
  /** A new request. `isWhole` is false if its head was too large and is incomplete. */
  open(id: number, head: RequestHead, endStream: boolean, isWhole: boolean): void;
  /** Bytes of a body have been consumed. */
  consumed(stream: ServerStream, bytes: number): void;
  /** True if the client may have sent frames for a closed stream before it learned of its end. */
  mayBeOnItsWay(id: number): boolean;
  /** The client caused a stream error. */
  streamError(id: number, code: number): void;
  /** The client has reset a stream. */
  wasReset(stream: ServerStream, code: number): void;
  /** The client sent GOAWAY. */
  goAway(): void;
}

/** The dependencies of a reader. */
export interface RequestReaderDependencies {
  readonly context: Http2ServerContext;
  readonly streams: StreamTable<ServerStream>;
  readonly sender: ResponseSender;
  readonly guard: FloodGuard;
  readonly owner: RequestReaderOwner;
}

/**
 * The receiving side of a connection: validates the frames of a client and passes them to its streams. Throws
 * Http2Error for connection errors. Upstream: golang.org/x/net/http2/server.go; RFC 9113
 */
export class RequestReader {
  readonly #context: Http2ServerContext;
  readonly #streams: StreamTable<ServerStream>;
  readonly #sender: ResponseSender;
  readonly #guard: FloodGuard;
  readonly #owner: RequestReaderOwner;
  readonly #reader: FrameReader;
  readonly #blocks = new HeaderBlocks();
  readonly #headers: HpackDecoder;
  readonly #window: ReceiveWindow;
  #builder = new RequestHeadBuilder();
  readonly #field = (field: HeaderField): void => this.#builder.field(field.name, field.value);
  /** Number of received bytes of the preface. */
  #prefaceBytes = 0;
  #isReady = false;
  /** The client has acknowledged the settings of this side. */
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
    this.#headers = new HpackDecoder(maxHeaderListSize);
    this.#window = new ReceiveWindow(connectionWindow, connectionWindow / WINDOW_PART);
    const handlers: FrameHandlers = {
      frame: (type, flags, id, payload) => this.#frame(type, flags, id, payload),
      data: (id, chunk, endStream, padding) => this.#data(id, chunk, endStream, padding),
    };
    this.#reader = new FrameReader(handlers, maxFrameSize);
  }

  /** The first SETTINGS of the client have arrived. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** The highest id of the streams that the client has opened. */
  get maxId(): number {
    return this.#maxId;
  }

  /** Number of bytes held back since `suspend`. */
  get held(): number {
    return this.#reader.held;
  }

  /** Takes received bytes. Throws Http2Error. */
  push(chunk: Buffer): void {
    const frames = this.#prefaceBytes < PREFACE.length ? this.#preface(chunk) : chunk;
    if (frames.length > 0) this.#reader.push(frames);
  }

  /** Passes on no further frame until `resume`. */
  suspend(): void {
    this.#reader.suspend();
  }

  /** Throws Http2Error. */
  resume(): void {
    this.#reader.resume();
  }

  /** Ignores all further frames. */
  stop(): void {
    this.#stopped = true;
  }

  /** Returns window credit of the connection for bytes that were consumed or discarded. */
  returnCredit(bytes: number): void {
    const credit = this.#window.take(bytes);
    if (credit === 0) return;
    this.#sender.output.frame32(FrameType.windowUpdate, 0, credit);
    this.#sender.flushSoon();
  }

  /** Checks the preface and returns the bytes after it. */
  #preface(chunk: Buffer): Buffer {
    const size = Math.min(chunk.length, PREFACE.length - this.#prefaceBytes);
    const wanted = PREFACE.subarray(this.#prefaceBytes, this.#prefaceBytes + size);
    if (!wanted.equals(chunk.subarray(0, size))) throw protocolError('the client preface is missing');
    this.#prefaceBytes += size;
    return chunk.subarray(size);
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#stopped) return;
    checkFrame(type, flags, id, payload.length);
    if (!this.#isReady && (type !== FrameType.settings || (flags & FrameFlag.ack) !== 0)) {
      throw protocolError('the first frame of the client is not SETTINGS');
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
    else if (type === FrameType.pushPromise) throw protocolError('a client must not push');
    else if (type === FrameType.priority) this.#priority(id, payload);
    else this.#guard.noteIdleFrame(performance.now());
  }

  /**
   * Even the block of a refused request must be decoded: later blocks refer to it. Each fragment is decoded when it
   * comes, so that a large head costs several turns of the event loop. No further one may come after a malformed field.
   * Upstream: readMetaFrame of golang.org/x/net/http2
   */
  #headersOf(fragment: HeaderFragment): void {
    if (this.#builder.isUnreadable) throw protocolError('a malformed header block continues');
    this.#headers.write(fragment.bytes, this.#field);
    if (!fragment.isLast) return;
    const isWhole = this.#headers.finish();
    const { stream: id, endStream } = fragment;
    const stream = this.#streams.get(id);
    if (stream === undefined && (id % 2 === 0 || (id <= this.#maxId && !this.#owner.mayBeOnItsWay(id)))) {
      throw protocolError(`the stream ${id} cannot be opened`);
    }
    const isNew = stream === undefined && id > this.#maxId;
    if (isNew) this.#maxId = id;
    if (stream !== undefined) this.#trailers(stream, endStream);
    // Ignored: after the GOAWAY, the client knows that it must repeat the request elsewhere.
    else if (isNew && this.#owner.lastId === undefined) this.#open(fragment, isWhole);
    else this.#builder = new RequestHeadBuilder();
  }

  #open({ stream: id, endStream, waitsFor }: HeaderFragment, isWhole: boolean): void {
    const head = this.#builder.finish(endStream);
    if (waitsFor === id) throw waitsForItself();
    if (this.#streams.size >= this.#context.maxConcurrentStreams) {
      // A client that has read the settings violates them. Upstream: processHeaders in x/net/http2/server.go
      const code = this.#isAcknowledged ? Http2Code.protocolError : Http2Code.refusedStream;
      throw new Http2StreamError(code, 'there are too many streams');
    }
    this.#owner.open(id, head, endStream, isWhole && head.rawHeaders.length <= 2 * MAX_FIELDS);
  }

  /** Trailers are validated and dropped. Upstream: processTrailerHeaders in x/net/http2/server.go */
  #trailers(stream: ServerStream, endStream: boolean): void {
    if (stream.remoteEnded) {
      this.#builder = new RequestHeadBuilder();
      throw new Http2StreamError(Http2Code.streamClosed, 'headers after the end of the stream');
    }
    this.#builder.finishTrailers();
    if (!endStream) throw new Http2StreamError(Http2Code.protocolError, 'trailers without the end of the stream');
    this.#endBody(stream);
  }

  #data(id: number, chunk: Buffer, endStream: boolean, padding: number): void {
    if (this.#stopped) return;
    if (!this.#isReady) throw protocolError('the first frame of the client is not SETTINGS');
    this.#blocks.expect(FrameType.data, id);
    const size = chunk.length + padding;
    if (!this.#window.receive(size)) {
      throw new Http2Error(Http2Code.flowControlError, 'data exceeds the window of the connection');
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

  /** DATA of a stream that is half-closed, or was never opened. */
  #dataOfNobody(id: number, size: number): void {
    this.#expectOpened(id);
    this.returnCredit(size);
    if (!this.#owner.mayBeOnItsWay(id)) this.#owner.streamError(id, Http2Code.streamClosed);
  }

  /** Throws Http2Error for the connection itself and for streams that the client has not opened. */
  #expectOpened(id: number): void {
    if (id % 2 === 0 || id > this.#maxId) throw protocolError(`the client has not opened stream ${id}`);
  }

  #windowUpdate(id: number, by: number): void {
    if (id === 0) {
      if (by === 0) throw protocolError('a window update has no increment');
      this.#sender.enlarge(by);
      return;
    }
    this.#expectOpened(id);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (by === 0) throw new Http2StreamError(Http2Code.protocolError, 'a window update has no increment');
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
    if (id === 0) throw protocolError('a priority frame has no stream');
    this.#guard.noteIdleFrame(performance.now());
    if (payload.length === 5 && (payload.readUInt32BE(0) & LAST_ID) === id) throw waitsForItself();
    if (payload.length !== 5) throw new Http2StreamError(Http2Code.frameSizeError, 'a priority frame has a wrong size');
  }

  #settings(flags: number, payload: Buffer): void {
    if ((flags & FrameFlag.ack) !== 0) {
      // As upstream: processSettings in x/net/http2/server.go
      if (this.#isAcknowledged) throw protocolError('unexpected acknowledgement of settings');
      this.#isAcknowledged = true;
      return;
    }
    checkSettings(payload);
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      this.#setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
    this.#isReady = true;
    this.#acknowledge(FrameType.settings, new Uint8Array(0));
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
    // This side sends no PING.
    if ((flags & FrameFlag.ack) === 0) this.#acknowledge(FrameType.ping, payload);
  }

  #acknowledge(type: number, payload: Uint8Array): void {
    this.#guard.noteIdleFrame(performance.now());
    this.#guard.noteUnreadReply();
    this.#sender.output.frame(type, FrameFlag.ack, 0, payload);
    this.#sender.flushSoon();
  }
}

/** Upstream: checkPriority in x/net/http2/server.go */
function waitsForItself(): Http2StreamError {
  return new Http2StreamError(Http2Code.protocolError, 'a stream depends on itself');
}
