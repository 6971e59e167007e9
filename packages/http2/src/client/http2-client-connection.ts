import type { Socket } from 'node:net';
import { FrameReader } from '../frames/frame-reader.js';
import { checkFrame, checkSetting, enlarged, protocolError } from '../frames/frame-rules.js';
import {
  DEFAULT_FRAME_SIZE,
  DEFAULT_WINDOW,
  FrameFlag,
  FrameType,
  Http2Code,
  Http2Error,
  Setting,
} from '../frames/frame-types.js';
import { FrameWriter } from '../frames/frame-writer.js';
import { type HeaderBlock, HeaderBlocks } from '../frames/header-blocks.js';
import { ReceiveWindow } from '../frames/receive-window.js';
import { StreamTable } from '../frames/stream-table.js';
import { HpackDecoder } from '../hpack/hpack-decoder.js';
import { Http2ClientStream, type StreamEnd, type StreamHandlers, type StreamOwner } from './http2-client-stream.js';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** What the other side may send before it is given leave again: a page of objects should not wait for that. */
const STREAM_WINDOW = 4 * 2 ** 20;
const CONNECTION_WINDOW = 32 * 2 ** 20;
const LAST_ID = 2 ** 31 - 1;
const MAX_HEADER_BLOCK = 256 * 1024;
/** Answers to pings and settings that the other side may leave unread: more than wait for it in any good hour. */
const MAX_UNREAD_ANSWERS = 10_000;

export interface Http2ClientHandlers {
  /** The other side has said that it speaks HTTP/2. */
  ready(): void;
  /** No request can be made any more; those under way may still end well. Called once, before `closed`. */
  leaving(): void;
  /** All streams have been told. */
  closed(): void;
}

interface Ping {
  readonly answered: () => void;
}

/**
 * The client's end of an HTTP/2 connection. Nothing of a request is sent before the other side has spoken, and all that one
 * turn of the event loop sends is one write. Upstream: RFC 9113
 */
export class Http2ClientConnection implements StreamOwner {
  readonly #socket: Socket;
  readonly #handlers: Http2ClientHandlers;
  readonly #writer = new FrameWriter();
  readonly #reader = new FrameReader({
    frame: (type, flags, id, payload) => this.#frame(type, flags, id, payload),
    data: (id, chunk, endStream, padding) => this.#data(id, chunk, endStream, padding),
  });
  readonly #headers = new HpackDecoder();
  readonly #streams = new StreamTable<Http2ClientStream>();
  /** In the order they were asked for; opened when the other side takes more. */
  #unopened: Http2ClientStream[] = [];
  /** Those that have something to send. */
  #waiting: Http2ClientStream[] = [];
  /** Those that had more to say than a window took. */
  #blocked: Http2ClientStream[] = [];
  #pings: Ping[] = [];
  #unreadAnswers = 0;
  /** Why the other side goes, if it said so. */
  #farewell = '';
  #nextId = 1;
  /** Streams up to this one may have been seen by the other side. */
  #sentId = 0;
  #ready = false;
  #leaving = false;
  #closed = false;
  #flushing = false;
  #sendWindow = DEFAULT_WINDOW;
  readonly #window = new ReceiveWindow(CONNECTION_WINDOW, CONNECTION_WINDOW / 2 + 1);
  #peer = { initialWindow: DEFAULT_WINDOW, maxFrame: DEFAULT_FRAME_SIZE, maxStreams: Number.POSITIVE_INFINITY };
  readonly #blocks = new HeaderBlocks(MAX_HEADER_BLOCK);

  /** The socket may still be connecting; `connected` is its event for that it no longer is. */
  constructor(socket: Socket, connected: 'connect' | 'secureConnect', handlers: Http2ClientHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.setNoDelay(true);
    socket.once(connected, () => this.#greet());
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure = error;
    });
    const over = () => this.destroy(failure ?? new Error(`the connection was closed${this.#farewell}`));
    socket.on('close', over);
    // Nothing comes any more, whatever is still to be sent.
    socket.on('end', over);
  }

  /** Nobody has answered on it yet. */
  get connecting(): boolean {
    return !this.#ready;
  }

  /** Something is under way. */
  get busy(): boolean {
    return this.#streams.size > 0;
  }

  /** Takes requests. */
  get usable(): boolean {
    return !this.#leaving;
  }

  /** Opens a stream. The connection must be usable. */
  request(headers: Uint8Array, handlers: StreamHandlers): Http2ClientStream {
    const stream = new Http2ClientStream(headers, handlers, this);
    this.#unopened.push(stream);
    this.#flushSoon();
    return stream;
  }

  /** Asks for a sign of life; `answered` is also called when the connection ends. */
  ping(answered: () => void): void {
    if (this.#closed || !this.#ready) {
      answered();
      return;
    }
    this.#pings.push({ answered });
    this.#writer.frame(FrameType.ping, 0, 0, Buffer.alloc(8));
    this.#flushSoon();
  }

  /** Breaks off everything. Idempotent. */
  destroy(error: Error): void {
    this.#leave();
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    for (const { answered } of this.#pings.splice(0)) answered();
    const opened = this.#streams.all();
    const unopened = this.#unopened;
    this.#unopened = [];
    for (const stream of opened) this.#close(stream, { error, unsent: stream.id > this.#sentId });
    for (const stream of unopened) this.#close(stream, { error, unsent: true });
    this.#handlers.closed();
  }

  wake(stream: Http2ClientStream): void {
    if (stream.id === 0 || stream.waiting) return;
    stream.waiting = true;
    this.#waiting.push(stream);
    this.#flushSoon();
  }

  cancel(stream: Http2ClientStream): void {
    if (stream.id !== 0) this.#reset(stream, Http2Code.cancel);
    else this.#withdraw(stream);
    this.#openMore();
  }

  #withdraw(stream: Http2ClientStream): void {
    const at = this.#unopened.indexOf(stream);
    if (at >= 0) this.#unopened.splice(at, 1);
  }

  #greet(): void {
    const settings = Buffer.alloc(12);
    settings.writeUInt16BE(Setting.enablePush, 0);
    settings.writeUInt16BE(Setting.initialWindowSize, 6);
    settings.writeUInt32BE(STREAM_WINDOW, 8);
    this.#writer.raw(Buffer.from(PREFACE));
    this.#writer.frame(FrameType.settings, 0, 0, settings);
    this.#writer.frame32(FrameType.windowUpdate, 0, CONNECTION_WINDOW - DEFAULT_WINDOW);
    this.#write();
  }

  /** After all callbacks of this turn have had their say. */
  #flushSoon(): void {
    if (this.#flushing || !this.#ready || this.#closed) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      if (!this.#closed) this.#flush();
    });
  }

  #flush(): void {
    this.#openMore();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const stream of waiting) {
      stream.waiting = false;
      this.#send(stream);
    }
    this.#write();
  }

  #openMore(): void {
    if (!this.#ready) return;
    while (this.#unopened.length > 0 && this.#streams.size < this.#peer.maxStreams && this.#nextId <= LAST_ID) {
      this.#open(this.#unopened.shift() as Http2ClientStream);
    }
    if (this.#nextId > LAST_ID) this.#refuseUnopened();
  }

  /** Those go to another connection. */
  #refuseUnopened(): void {
    this.#leave();
    const unopened = this.#unopened;
    this.#unopened = [];
    for (const stream of unopened) this.#close(stream, { resetCode: Http2Code.refusedStream, unsent: true });
    this.#endWhenIdle();
  }

  #open(stream: Http2ClientStream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    stream.sendWindow = this.#peer.initialWindow;
    this.#streams.add(stream);
    this.#writer.frame(FrameType.headers, FrameFlag.endHeaders, stream.id, stream.headers);
    this.wake(stream);
  }

  #send(stream: Http2ClientStream): void {
    if (stream.closed) return;
    const { maxFrame } = this.#peer;
    this.#sendWindow -= stream.send(this.#sendWindow, maxFrame, (bytes, end) => {
      this.#writer.frame(FrameType.data, end ? FrameFlag.endStream : 0, stream.id, bytes);
    });
    if (!stream.blocked || stream.parked) return;
    stream.parked = true;
    this.#blocked.push(stream);
  }

  /** It is over, or given up. */
  #remove(stream: Http2ClientStream): void {
    this.#streams.remove(stream);
    if (stream.parked) this.#blocked = this.#blocked.filter((other) => other !== stream);
  }

  /** What was gathered goes to the socket, as one write. */
  #write(): void {
    if (this.#writer.empty || this.#closed) return;
    this.#sentId = this.#nextId - 2;
    const pieces = this.#writer.take();
    if (pieces.length > 1) this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    if (pieces.length > 1) this.#socket.uncork();
  }

  #take(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#refuse(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** The other side breaks the protocol, or a handler failed. */
  #refuse(error: Error): void {
    if (this.#closed) return;
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(error instanceof Http2Error ? error.http2Code : Http2Code.internalError, 4);
    this.#writer.frame(FrameType.goaway, 0, 0, payload);
    this.#write();
    this.destroy(error);
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#closed) return;
    checkFrame(type, flags, id, payload.length);
    if (!this.#ready && (type !== FrameType.settings || (flags & FrameFlag.ack) !== 0)) {
      throw protocolError('the server does not begin with its settings');
    }
    this.#blocks.expect(type, id);
    if (type === FrameType.headers) this.#beginBlock(id, flags, payload);
    else if (type === FrameType.continuation) this.#headersOf(this.#blocks.continue(flags, payload));
    else if (type === FrameType.reset) this.#wasReset(id, payload);
    else if (type === FrameType.settings) this.#settings(flags, payload);
    else if (type === FrameType.ping) this.#pinged(flags, payload);
    else if (type === FrameType.goaway) this.#goaway(payload);
    else if (type === FrameType.windowUpdate) this.#windowUpdate(id, payload);
    else if (type === FrameType.pushPromise) throw protocolError('nobody has asked for a push');
  }

  /** Throws Http2Error for what the other side cannot know of, the connection itself among them. */
  #expectOpened(stream: number): void {
    if (stream % 2 === 0 || stream > this.#sentId) throw protocolError(`nobody has opened the stream ${stream}`);
  }

  #beginBlock(stream: number, flags: number, payload: Buffer): void {
    this.#expectOpened(stream);
    this.#headersOf(this.#blocks.begin(stream, flags, payload));
  }

  /** Also of streams that are closed: later blocks refer to this one. */
  #headersOf(block: HeaderBlock | undefined): void {
    if (block === undefined) return;
    const stream = this.#streams.get(block.stream);
    const isAll = this.#headers.decode(block.bytes, (field) => {
      if (stream?.closed === false) stream.handlers.header(field);
    });
    if (!isAll) throw new Http2Error(Http2Code.enhanceYourCalm, 'the headers are too large');
    if (stream !== undefined && block.endStream) this.#ended(stream);
  }

  #data(id: number, chunk: Buffer, endStream: boolean, padding: number): void {
    if (this.#closed) return;
    this.#blocks.expect(FrameType.data, id);
    this.#expectOpened(id);
    const size = chunk.length + padding;
    if (!this.#window.receive(size)) throw new Http2Error(Http2Code.flowControlError, 'the window is too small');
    const leave = this.#window.take(size);
    if (leave > 0) {
      this.#writer.frame32(FrameType.windowUpdate, 0, leave);
      this.#flushSoon();
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.received += size;
    if (stream.received > STREAM_WINDOW / 2 && !endStream) {
      this.#writer.frame32(FrameType.windowUpdate, id, stream.received);
      stream.received = 0;
      this.#flushSoon();
    }
    stream.handlers.data(chunk);
    if (endStream) this.#ended(stream);
  }

  /** The other side has said all; what we still have to say nobody wants to hear. */
  #ended(stream: Http2ClientStream): void {
    if (stream.closed) return;
    if (stream.ended) this.#remove(stream);
    else this.#reset(stream, Http2Code.cancel);
    this.#close(stream, { unsent: false });
    this.#openMore();
  }

  #reset(stream: Http2ClientStream, code: number): void {
    this.#remove(stream);
    this.#writer.frame32(FrameType.reset, stream.id, code);
    this.#flushSoon();
  }

  #wasReset(id: number, payload: Buffer): void {
    this.#expectOpened(id);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    this.#remove(stream);
    const resetCode = payload.readUInt32BE(0);
    this.#close(stream, { resetCode, unsent: resetCode === Http2Code.refusedStream });
    this.#openMore();
  }

  #settings(flags: number, payload: Buffer): void {
    if ((flags & FrameFlag.ack) !== 0) return;
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      const id = payload.readUInt16BE(at);
      checkSetting(id, value);
      if (id === Setting.enablePush && value !== 0) throw protocolError('a server takes no pushes');
      if (id === Setting.maxConcurrentStreams) this.#peer.maxStreams = value;
      else if (id === Setting.maxFrameSize) this.#peer.maxFrame = value;
      else if (id === Setting.initialWindowSize) this.#resizeWindows(value);
    }
    this.#answer(FrameType.settings, new Uint8Array(0));
    if (this.#ready) return;
    this.#ready = true;
    this.#handlers.ready();
    this.#flushSoon();
  }

  /** One that asks on and on, and reads no answers, must not fill the memory with them. */
  #answer(type: number, payload: Uint8Array): void {
    if (this.#socket.writableLength === 0) this.#unreadAnswers = 0;
    if (++this.#unreadAnswers > MAX_UNREAD_ANSWERS) {
      throw new Http2Error(Http2Code.enhanceYourCalm, 'the server asks and does not listen');
    }
    this.#writer.frame(type, FrameFlag.ack, 0, payload);
    this.#flushSoon();
  }

  /** Of all streams, those under way too. */
  #resizeWindows(size: number): void {
    const change = size - this.#peer.initialWindow;
    this.#peer.initialWindow = size;
    for (const stream of this.#streams.all()) stream.sendWindow = enlarged(stream.sendWindow, change);
    this.#wakeBlocked();
  }

  #windowUpdate(id: number, payload: Buffer): void {
    if (id !== 0) this.#expectOpened(id);
    const size = payload.readUInt32BE(0) & 0x7fffffff;
    if (size === 0) throw protocolError('a window is enlarged by nothing');
    const stream = this.#streams.get(id);
    if (id === 0) this.#sendWindow = enlarged(this.#sendWindow, size);
    else if (stream !== undefined) stream.sendWindow = enlarged(stream.sendWindow, size);
    this.#wakeBlocked();
  }

  #wakeBlocked(): void {
    for (const stream of this.#blocked.splice(0)) {
      stream.parked = false;
      this.wake(stream);
    }
  }

  #pinged(flags: number, payload: Buffer): void {
    if ((flags & FrameFlag.ack) !== 0) {
      this.#pings.shift()?.answered();
      return;
    }
    this.#answer(FrameType.ping, payload);
  }

  /** The other side goes: it has not looked, and will not look, at streams behind the last one that it names. */
  #goaway(payload: Buffer): void {
    const lastId = payload.readUInt32BE(0) & 0x7fffffff;
    const code = payload.readUInt32BE(4);
    if (code !== Http2Code.noError) this.#farewell = `: ${code} ${JSON.stringify(payload.toString('latin1', 8, 200))}`;
    for (const stream of this.#streams.all()) {
      if (stream.id <= lastId) continue;
      this.#remove(stream);
      this.#close(stream, { resetCode: Http2Code.refusedStream, unsent: true });
    }
    this.#refuseUnopened();
  }

  #leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#handlers.leaving();
  }

  #close(stream: Http2ClientStream, end: StreamEnd): void {
    if (stream.closed) return;
    stream.closed = true;
    stream.handlers.closed(end);
    this.#endWhenIdle();
  }

  /** Nobody needs a connection that takes no requests and has none under way. */
  #endWhenIdle(): void {
    if (this.#leaving && !this.#closed && this.#streams.size === 0) this.destroy(new Error('the connection is over'));
  }
}
