import type { Socket } from 'node:net';
import { enlarged } from '../frames/frame-rules.js';
import { DEFAULT_FRAME_SIZE, DEFAULT_WINDOW, FrameFlag, FrameType, Http2Code } from '../frames/frame-types.js';
import { FrameWriter } from '../frames/frame-writer.js';
import type { StreamTable } from '../frames/stream-table.js';
import type { Http2ClientStream, StreamOwner } from './http2-client-stream.js';

const LAST_ID = 2 ** 31 - 1;

/** Gets what a sender cannot do itself. */
export interface SenderOwner {
  /** There are no ids left: those that have not been opened never will be. */
  exhausted(): void;
}

/**
 * The sending side of a connection: opens streams as the other side takes them, sends what they have to say as far as its windows
 * go, and hands all that one turn of the event loop sends to the socket as one write.
 */
export class RequestSender implements StreamOwner {
  readonly #socket: Socket;
  readonly #streams: StreamTable<Http2ClientStream>;
  readonly #owner: SenderOwner;
  readonly #writer = new FrameWriter();
  /** In the order they were asked for; opened when the other side takes more. */
  #unopened: Http2ClientStream[] = [];
  /** Those that have something to send. */
  #waiting: Http2ClientStream[] = [];
  /** Those that had more to say than a window took. */
  #blocked: Http2ClientStream[] = [];
  #nextId = 1;
  #sentId = 0;
  #started = false;
  #stopped = false;
  #flushing = false;
  #sendWindow = DEFAULT_WINDOW;
  #initialWindow = DEFAULT_WINDOW;
  /** What a frame may have behind its head. */
  maxFrame = DEFAULT_FRAME_SIZE;
  /** Streams that the other side takes at once. */
  maxStreams = Number.POSITIVE_INFINITY;

  /** Adds to `streams` those that it opens. */
  constructor(socket: Socket, streams: StreamTable<Http2ClientStream>, owner: SenderOwner) {
    this.#socket = socket;
    this.#streams = streams;
    this.#owner = owner;
  }

  /** Streams up to this one may have been seen by the other side. */
  get sentId(): number {
    return this.#sentId;
  }

  /** Sends bytes before everything else. */
  greet(bytes: Uint8Array): void {
    this.#writer.raw(bytes);
    this.write();
  }

  /** The other side has spoken: what was asked for meanwhile leaves. */
  start(): void {
    this.#started = true;
    this.#flushSoon();
  }

  /** Nothing is sent any more. */
  stop(): void {
    this.#stopped = true;
  }

  /** Opens a stream when the other side takes it. */
  open(stream: Http2ClientStream): void {
    this.#unopened.push(stream);
    this.#flushSoon();
  }

  /** Those that have not been opened, and will not be. */
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

  /** Ends a stream from this side. */
  reset(stream: Http2ClientStream, code: number): void {
    this.remove(stream);
    this.frame32(FrameType.reset, stream.id, code);
  }

  /** A stream is over, or given up. */
  remove(stream: Http2ClientStream): void {
    this.#streams.remove(stream);
    if (stream.parked) this.#blocked = this.#blocked.filter((other) => other !== stream);
  }

  /** Sends a frame at the end of this turn. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.#writer.frame(type, flags, stream, payload);
    this.#flushSoon();
  }

  /** The same with a number of 32 bits. */
  frame32(type: number, stream: number, value: number): void {
    this.#writer.frame32(type, stream, value);
    this.#flushSoon();
  }

  /** The other side takes so much more of all streams. Throws Http2Error. */
  enlarge(by: number): void {
    this.#sendWindow = enlarged(this.#sendWindow, by);
    this.#wakeBlocked();
  }

  /** The other side takes so much more of a stream. Throws Http2Error. */
  enlargeStream(stream: Http2ClientStream, by: number): void {
    stream.sendWindow = enlarged(stream.sendWindow, by);
    this.#wakeBlocked();
  }

  /** The window that streams begin with; those under way change by as much. Throws Http2Error. */
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

  /** After all callbacks of this turn have had their say. */
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

  /** Opens those that have waited for others to end. */
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

  /** What was gathered goes to the socket now, as one write. */
  write(): void {
    if (this.#writer.empty || this.#stopped) return;
    this.#sentId = this.#nextId - 2;
    const pieces = this.#writer.take();
    if (pieces.length > 1) this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    if (pieces.length > 1) this.#socket.uncork();
  }
}
