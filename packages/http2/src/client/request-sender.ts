import type { Duplex } from 'node:stream';
import { enlarged } from '../frames/frame-rules.js';
import { DEFAULT_FRAME_SIZE, DEFAULT_WINDOW, FrameFlag, FrameType, Http2Code } from '../frames/frame-types.js';
import { FrameWriter } from '../frames/frame-writer.js';
import type { StreamTable } from '../frames/stream-table.js';
import type { Http2ClientStream, StreamOwner } from './http2-client-stream.js';

const LAST_ID = 2 ** 31 - 1;

/** The connection of a sender. */
export interface SenderOwner {
  /** No stream IDs are left: unopened streams will never be opened. */
  exhausted(): void;
}

/**
 * The sending side of a connection. It opens streams within the limit of the peer and sends their bytes within its
 * windows. All output of one event loop turn is one write.
 */
export class RequestSender implements StreamOwner {
  readonly #socket: Duplex;
  readonly #streams: StreamTable<Http2ClientStream>;
  readonly #owner: SenderOwner;
  readonly #writer = new FrameWriter();
  /** Streams to open, in the order of the calls. */
  #unopened: Http2ClientStream[] = [];
  /** Streams with output. */
  #waiting: Http2ClientStream[] = [];
  /** Streams that wait for a window. */
  #blocked: Http2ClientStream[] = [];
  #nextId = 1;
  #sentId = 0;
  #started = false;
  #stopped = false;
  #flushing = false;
  #sendWindow = DEFAULT_WINDOW;
  #initialWindow = DEFAULT_WINDOW;
  /** SETTINGS_MAX_FRAME_SIZE of the peer. */
  maxFrame = DEFAULT_FRAME_SIZE;
  /** SETTINGS_MAX_CONCURRENT_STREAMS of the peer. */
  maxStreams = Number.POSITIVE_INFINITY;

  /** `streams`: table that opened streams are added to. */
  constructor(socket: Duplex, streams: StreamTable<Http2ClientStream>, owner: SenderOwner) {
    this.#socket = socket;
    this.#streams = streams;
    this.#owner = owner;
  }

  /** The peer may have seen streams up to this ID. */
  get sentId(): number {
    return this.#sentId;
  }

  /** Sends bytes before everything else. */
  greet(bytes: Uint8Array): void {
    this.#writer.raw(bytes);
    this.write();
  }

  /** The preface of the peer has arrived: sends the waiting requests. */
  start(): void {
    this.#started = true;
    this.#flushSoon();
  }

  /** Stops all output. */
  stop(): void {
    this.#stopped = true;
  }

  /** Opens a stream, as soon as the peer allows it. */
  open(stream: Http2ClientStream): void {
    this.#unopened.push(stream);
    this.#flushSoon();
  }

  /** The streams that will never be opened. */
  takeUnopened(): readonly Http2ClientStream[] {
    return this.#unopened.splice(0);
  }

  wake(stream: Http2ClientStream): void {
    if (stream.id === 0 || stream.waiting) return;
    stream.waiting = true;
    this.#waiting.push(stream);
    this.#flushSoon();
  }

  cancel(stream: Http2ClientStream): void {
    if (stream.id !== 0) this.reset(stream, Http2Code.cancel);
    else this.#withdraw(stream);
    this.openMore();
  }

  #withdraw(stream: Http2ClientStream): void {
    const at = this.#unopened.indexOf(stream);
    if (at >= 0) this.#unopened.splice(at, 1);
  }

  /** Resets a stream. */
  reset(stream: Http2ClientStream, code: number): void {
    this.remove(stream);
    this.frame32(FrameType.reset, stream.id, code);
  }

  /** Forgets a closed or cancelled stream. */
  remove(stream: Http2ClientStream): void {
    this.#streams.remove(stream);
    if (stream.parked) this.#blocked = this.#blocked.filter((other) => other !== stream);
  }

  /** Sends a frame when this turn ends. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.#writer.frame(type, flags, stream, payload);
    this.#flushSoon();
  }

  /** Sends a frame with one 32-bit number when this turn ends. */
  frame32(type: number, stream: number, value: number): void {
    this.#writer.frame32(type, stream, value);
    this.#flushSoon();
  }

  /** Adds credit to the window of the connection. Throws Http2Error. */
  enlarge(by: number): void {
    this.#sendWindow = enlarged(this.#sendWindow, by);
    this.#wakeBlocked();
  }

  /** Adds credit to the window of a stream. Throws Http2Error. */
  enlargeStream(stream: Http2ClientStream, by: number): void {
    stream.sendWindow = enlarged(stream.sendWindow, by);
    this.#wakeBlocked();
  }

  /** Changes the initial window; windows of open streams change by the difference. Throws Http2Error. */
  set initialWindow(size: number) {
    const change = size - this.#initialWindow;
    this.#initialWindow = size;
    for (const stream of this.#streams.all()) stream.sendWindow = enlarged(stream.sendWindow, change);
    this.#wakeBlocked();
  }

  #wakeBlocked(): void {
    for (const stream of this.#blocked.splice(0)) {
      stream.parked = false;
      this.wake(stream);
    }
  }

  /** Runs after all callbacks of this turn. */
  #flushSoon(): void {
    if (this.#flushing || !this.#started || this.#stopped) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      if (!this.#stopped) this.#flush();
    });
  }

  #flush(): void {
    this.openMore();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const stream of waiting) {
      stream.waiting = false;
      this.#send(stream);
    }
    this.write();
  }

  /** Opens streams that waited for others to end. */
  openMore(): void {
    if (!this.#started) return;
    while (this.#unopened.length > 0 && this.#streams.size < this.maxStreams && this.#nextId <= LAST_ID) {
      this.#open(this.#unopened.shift() as Http2ClientStream);
    }
    if (this.#nextId > LAST_ID) this.#owner.exhausted();
  }

  #open(stream: Http2ClientStream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    stream.sendWindow = this.#initialWindow;
    this.#streams.add(stream);
    this.#writer.frame(FrameType.headers, FrameFlag.endHeaders, stream.id, stream.headers);
    this.wake(stream);
  }

  #send(stream: Http2ClientStream): void {
    if (stream.closed) return;
    this.#sendWindow -= stream.send(this.#sendWindow, this.maxFrame, (bytes, end) => {
      this.#writer.frame(FrameType.data, end ? FrameFlag.endStream : 0, stream.id, bytes);
    });
    if (!stream.blocked || stream.parked) return;
    stream.parked = true;
    this.#blocked.push(stream);
  }

  /** Writes the collected output at once. */
  write(): void {
    if (this.#writer.empty || this.#stopped) return;
    this.#sentId = this.#nextId - 2;
    const pieces = this.#writer.take();
    if (pieces.length > 1) this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    if (pieces.length > 1) this.#socket.uncork();
  }
}
