import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { FrameReader } from './frame-reader.js';
import {
  type ControlFrame,
  encodeFrame,
  encodeNumbers,
  type Frame,
  frameType,
  MAX_BODY_BYTES,
  streamIdOf,
} from './frames.js';
import { HeaderBlockWriter } from './header-block.js';
import { SpdyStream, type StreamCarrier } from './spdy-stream.js';

/** Time limit for the peer to accept a stream, in milliseconds. Upstream: createStreamResponseTimeout */
const REPLY_TIMEOUT_MS = 30_000;
/** The RST_STREAM status CANCEL: the sender no longer needs the stream. */
const CANCEL = 5;
/** Answers to pings that may wait for the peer to read. It gets none for further pings. */
const MAX_WAITING_PONGS = 1_000;

/** Options of a connection. */
export interface SpdyConnectionOptions {
  /** Bytes received after the response head. */
  readonly head?: Uint8Array;
  /** Interval between pings in milliseconds, so that intermediaries do not close an idle connection; 0 for none. */
  readonly pingPeriod: number;
}

interface OpenStream {
  readonly stream: SpdyStream;
  accept(): void;
  refuse(error: Error): void;
}

/**
 * The client side of a SPDY/3.1 connection, over an upgraded socket. There are no flow-control windows, as in
 * kubelets and container runtimes. A stream that is not read blocks the whole connection.
 * Upstream: k8s.io/streaming/pkg/httpstream/spdy and github.com/moby/spdystream
 */
export class SpdyConnection implements StreamCarrier {
  /** Resolves when the socket has closed, with the error if there was one. */
  readonly closed: Promise<Error | undefined>;
  readonly #socket: Duplex;
  readonly #frames = new FrameReader();
  readonly #headers = new HeaderBlockWriter();
  readonly #streams = new Map<number, OpenStream>();
  /** Streams with full buffers: while there are any, the socket is paused. */
  readonly #full = new Set<number>();
  readonly #pings: NodeJS.Timeout | undefined;
  #nextId = 1;
  #nextPing = 1;
  /** Answers to pings that the socket has not yet sent. */
  #waitingPongs = 0;
  #failure: Error | undefined;

  constructor(socket: Duplex, { head, pingPeriod }: SpdyConnectionOptions) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve(this.#gone())));
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.once('end', () => this.close());
    if (pingPeriod > 0) this.#pings = setInterval(() => this.#ping(), pingPeriod).unref();
    if (head !== undefined && head.length > 0) this.#receive(head);
    // Reading the response head paused it.
    if (this.#full.size === 0) socket.resume();
  }

  /** Opens a stream; resolves when the peer has accepted it. */
  openStream(headers: Readonly<Record<string, string>>): Promise<SpdyStream> {
    if (this.#socket.destroyed) return Promise.reject(this.#failure ?? new Error('the connection was closed'));
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = new SpdyStream(id, this);
    const { promise, resolve, reject } = Promise.withResolvers<SpdyStream>();
    const timer = setTimeout(
      () => reject(new Error('timed out waiting for a reply to a new stream')),
      REPLY_TIMEOUT_MS,
    );
    const settled = promise.finally(() => clearTimeout(timer));
    this.#streams.set(id, { stream, accept: () => resolve(stream), refuse: reject });
    stream.on('error', () => {});
    stream.once('close', () => this.#forget(id));
    // Stream ID, no associated stream, priority and slot.
    const body = [encodeNumbers(id, 0), new Uint8Array(2), this.#headers.write(headers)];
    this.#control(frameType.synStream, ...body);
    return settled;
  }

  sendData(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error | null) => void): void {
    if (this.#socket.destroyed) {
      callback(this.#failure ?? new Error('the connection is closed'));
      return;
    }
    const frames = Math.max(1, Math.ceil(data.length / MAX_BODY_BYTES));
    for (let frame = 1; frame <= frames; frame++) {
      const part = data.subarray((frame - 1) * MAX_BODY_BYTES, frame * MAX_BODY_BYTES);
      const isLast = frame === frames;
      const encoded = encodeFrame({ kind: 'data', streamId, fin: fin && isLast, data: part });
      this.#socket.write(encoded, isLast ? callback : undefined);
    }
  }

  reset(streamId: number): void {
    if (!this.#socket.destroyed) this.#control(frameType.rstStream, encodeNumbers(streamId, CANCEL));
  }

  wantMore(streamId: number): void {
    if (this.#full.delete(streamId) && this.#full.size === 0) this.#socket.resume();
  }

  /** Closes the connection and every stream; pending writes are still sent. */
  close(): void {
    clearInterval(this.#pings);
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    this.#control(frameType.goAway, encodeNumbers(0, 0));
    this.#socket.end(() => this.#socket.destroy());
  }

  #receive(bytes: Uint8Array): void {
    for (const frame of this.#frames.read(bytes)) this.#handle(frame);
  }

  #handle(frame: Frame): void {
    if (frame.kind === 'control') {
      this.#handleControl(frame);
      return;
    }
    const open = this.#streams.get(frame.streamId);
    if (open === undefined || open.stream.receive(frame.data, frame.fin)) return;
    this.#full.add(frame.streamId);
    this.#socket.pause();
  }

  #handleControl(frame: ControlFrame): void {
    const open = this.#streams.get(streamIdOf(frame));
    switch (frame.type) {
      case frameType.synReply:
        open?.accept();
        if (frame.flags & 1) open?.stream.receive(new Uint8Array(), true);
        return;
      case frameType.headers:
        if (frame.flags & 1) open?.stream.receive(new Uint8Array(), true);
        return;
      case frameType.rstStream:
        this.#refuse(open);
        return;
      case frameType.ping:
        // An even ID is a ping of the peer, which expects it back.
        if (streamIdOf(frame) % 2 === 0) this.#pong(frame);
        return;
      default:
        // GOAWAY needs no action: this side opens no more streams by then. SETTINGS and WINDOW_UPDATE concern
        // windows, which do not exist here.
        return;
    }
  }

  #refuse(open: OpenStream | undefined): void {
    const error = new Error('the other side has reset the stream');
    open?.refuse(error);
    open?.stream.receive(new Uint8Array(), true);
    open?.stream.destroy();
  }

  #forget(id: number): void {
    this.#streams.delete(id);
    this.wantMore(id);
  }

  #gone(): Error | undefined {
    clearInterval(this.#pings);
    const error = this.#failure ?? new Error('the connection was closed');
    for (const { stream, refuse } of [...this.#streams.values()]) {
      refuse(error);
      stream.receive(new Uint8Array(), true);
    }
    this.#streams.clear();
    return this.#failure;
  }

  #ping(): void {
    this.#control(frameType.ping, encodeNumbers(this.#nextPing));
    this.#nextPing += 2;
  }

  #pong({ body }: ControlFrame): void {
    if (this.#waitingPongs === MAX_WAITING_PONGS) return;
    this.#waitingPongs++;
    this.#socket.write(encodeFrame({ kind: 'control', type: frameType.ping, flags: 0, body }), () => {
      this.#waitingPongs--;
    });
  }

  #control(type: number, ...body: readonly Uint8Array[]): void {
    this.#socket.write(encodeFrame({ kind: 'control', type, flags: 0, body: Buffer.concat(body) }));
  }
}
