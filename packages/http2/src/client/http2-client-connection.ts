import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorOf } from '../frames/error-of.js';
import { FrameType, Http2Code, Http2Error } from '../frames/frame-types.js';
import { StreamTable } from '../frames/stream-table.js';
import { clientPreface } from './client-preface.js';
import { Http2ClientStream, type StreamEnd, type StreamHandlers } from './http2-client-stream.js';
import { RequestSender, type SenderOwner } from './request-sender.js';
import { type ReaderOwner, ResponseReader } from './response-reader.js';

/** Handlers of the events of a connection. */
export interface Http2ClientHandlers {
  /** The preface of the server has arrived. */
  ready(): void;
  /** The connection accepts no more requests; open ones may still complete. Called once, before `closed`. */
  goingAway(): void;
  /** The connection has ended; all streams have received their last event. */
  closed(): void;
}

/**
 * The client side of an HTTP/2 connection. It sends no request before the server's preface. All output of one event
 * loop turn is one write. Upstream: RFC 9113
 */
export class Http2ClientConnection implements ReaderOwner, SenderOwner {
  readonly #socket: Duplex;
  readonly #handlers: Http2ClientHandlers;
  readonly #streams = new StreamTable<Http2ClientStream>();
  readonly #sender: RequestSender;
  readonly #reader: ResponseReader;
  /** Callbacks for the next acknowledgements of PING. */
  #pings: (() => void)[] = [];
  /** Reason of the received GOAWAY. */
  #farewell = '';
  #isReady = false;
  #isLeaving = false;
  #isClosed = false;

  /** `connected`: the event with which the connecting socket becomes usable. */
  constructor(socket: Duplex, connected: 'connect' | 'secureConnect', handlers: Http2ClientHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    this.#sender = new RequestSender(socket, this.#streams, this);
    this.#reader = new ResponseReader({ streams: this.#streams, sender: this.#sender, owner: this });
    if (socket instanceof Socket) socket.setNoDelay(true);
    socket.once(connected, () => this.#sender.greet(clientPreface()));
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure = error;
    });
    const over = () => this.destroy(failure ?? new Error(`the connection was closed${this.#farewell}`));
    socket.on('close', over);
    // No more input will arrive, even if output is pending.
    socket.on('end', over);
  }

  /** The preface of the server has not arrived. */
  get connecting(): boolean {
    return !this.#isReady;
  }

  /** True while streams are open. */
  get busy(): boolean {
    return this.#streams.size > 0;
  }

  /** True while the connection accepts requests. */
  get usable(): boolean {
    return !this.#isLeaving;
  }

  /** Opens a stream. The connection must be usable. */
  request(headers: Uint8Array, handlers: StreamHandlers): Http2ClientStream {
    const stream = new Http2ClientStream(headers, handlers, this.#sender);
    this.#sender.open(stream);
    return stream;
  }

  /** Sends a PING. `responded` is called with its acknowledgement, or when the connection ends. */
  ping(responded: () => void): void {
    if (this.#isClosed || !this.#isReady) {
      responded();
      return;
    }
    this.#pings.push(responded);
    this.#sender.frame(FrameType.ping, 0, 0, Buffer.alloc(8));
  }

  /** Destroys the connection. Idempotent. */
  destroy(error: Error): void {
    this.#startGoAway();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sender.stop();
    this.#reader.stop();
    this.#socket.destroy();
    for (const responded of this.#pings.splice(0)) responded();
    const { sentId } = this.#sender;
    const unopened = this.#sender.takeUnopened();
    for (const stream of this.#streams.all()) this.#close(stream, { error, unsent: stream.id > sentId });
    for (const stream of unopened) this.#close(stream, { error, unsent: true });
    this.#handlers.closed();
  }

  // Methods for the sender.

  exhausted(): void {
    this.#refuseUnopened();
  }

  // Methods for the reader.

  get allIsSent(): boolean {
    return this.#socket.writableLength === 0;
  }

  ready(): void {
    this.#isReady = true;
    this.#handlers.ready();
    this.#sender.start();
  }

  ponged(): void {
    this.#pings.shift()?.();
  }

  /** The peer needs no further output. */
  ended(stream: Http2ClientStream): void {
    if (stream.closed) return;
    if (stream.ended) this.#sender.remove(stream);
    else this.#sender.reset(stream, Http2Code.cancel);
    this.#close(stream, { unsent: false });
    this.#sender.openMore();
  }

  wasReset(stream: Http2ClientStream, resetCode: number): void {
    this.#sender.remove(stream);
    this.#close(stream, { resetCode, unsent: resetCode === Http2Code.refusedStream });
    this.#sender.openMore();
  }

  goaway(lastId: number, reason: string): void {
    if (reason !== '') this.#farewell = reason;
    for (const stream of this.#streams.all()) {
      if (stream.id <= lastId) continue;
      this.#sender.remove(stream);
      this.#close(stream, { resetCode: Http2Code.refusedStream, unsent: true });
    }
    this.#refuseUnopened();
  }

  #take(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#refuse(errorOf(error));
    }
  }

  /** The server violated the protocol, or a handler failed. */
  #refuse(error: Error): void {
    if (this.#isClosed) return;
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(error instanceof Http2Error ? error.http2Code : Http2Code.internalError, 4);
    this.#sender.frame(FrameType.goaway, 0, 0, payload);
    this.#sender.write();
    this.destroy(error);
  }

  /** Streams that were not opened move to another connection. */
  #refuseUnopened(): void {
    this.#startGoAway();
    for (const stream of this.#sender.takeUnopened()) {
      this.#close(stream, { resetCode: Http2Code.refusedStream, unsent: true });
    }
    this.#endWhenIdle();
  }

  #startGoAway(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#handlers.goingAway();
  }

  #close(stream: Http2ClientStream, end: StreamEnd): void {
    if (stream.closed) return;
    stream.closed = true;
    stream.handlers.closed(end);
    this.#endWhenIdle();
  }

  /** Closes a connection that accepts no requests and has none open. */
  #endWhenIdle(): void {
    if (this.#isLeaving && !this.#isClosed && this.#streams.size === 0)
      this.destroy(new Error('the connection has ended'));
  }
}
