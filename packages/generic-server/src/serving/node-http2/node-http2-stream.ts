import { Buffer } from 'node:buffer';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { type HeaderFields, Http2Code, type RequestHead, type StreamReceiver } from '@apiserver/http2';
import type { Http2Stream } from '../http2/http2-stream.js';

/** Bytes that a stream queues before its writer should wait. */
const HIGH_WATER_MARK = 256 * 1024;
/** Bytes of one write to Node. The callbacks of writes show the progress of the client. */
const SLICE_BYTES = 16 * 1024;
/** Bytes of one stream that Node may buffer. They count in its memory limit of the session. */
const MAX_IN_FLIGHT = 64 * 1024;

/** The connection of a stream. */
export interface NodeHttp2StreamOwner {
  /** Adds to the queued bytes of responses; negative if bytes have left. */
  queued(bytes: number): void;
  /** Sends GOAWAY and ends the connection with its last stream. */
  goAway(): void;
  /** The stream is over; called before its receiver. */
  closed(stream: NodeHttp2Stream): void;
}

const noReceiver: StreamReceiver = { data() {}, bodyEnded() {}, drained() {}, closed() {} };

/** A stream of `node:http2` in the form that `ServerStream` of `@apiserver/http2` has. */
export class NodeHttp2Stream implements Http2Stream {
  readonly head: RequestHead;
  readonly hasBody: boolean;
  receiver: StreamReceiver = noReceiver;
  copied: ((bytes: Uint8Array) => void) | undefined = undefined;
  isEvents = false;
  isPatient = false;
  responded = false;
  ending = false;
  queuedBytes = 0;
  /** Monotonic milliseconds at which queued data is dropped; 0: never. */
  giveUpAt = 0;
  /** Monotonic milliseconds since which the client has not read queued data; 0: nothing is queued. */
  stuckSince = 0;
  /** This side has ended the stream. */
  isReset = false;
  readonly #stream: ServerHttp2Stream;
  readonly #owner: NodeHttp2StreamOwner;
  #queue: Uint8Array[] = [];
  /** Bytes of the first queue element that are already passed to Node. */
  #handed = 0;
  #inFlight = 0;
  /** True if a writer was told to wait. */
  #isFull = false;
  #isListening = false;
  #bodyEnded = false;

  constructor(stream: ServerHttp2Stream, head: RequestHead, owner: NodeHttp2StreamOwner) {
    this.#stream = stream;
    this.head = head;
    this.#owner = owner;
    this.hasBody = !stream.endAfterHeaders;
    stream.once('finish', () => this.#finished());
    stream.once('close', () => this.#closed());
  }

  get closed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get localEnded(): boolean {
    return this.ending && this.#stream.writableFinished;
  }

  get isFull(): boolean {
    return this.queuedBytes > HIGH_WATER_MARK;
  }

  /** The code of the reset that ended the stream; 0: none did. */
  get resetCode(): number {
    return this.#stream.rstCode ?? 0;
  }

  respond(status: number, fields: HeaderFields, endStream: boolean): void {
    if (this.closed || this.ending) return;
    const headers = { ...fields, ':status': status };
    if (status < 200) {
      this.#stream.additionalHeaders(headers);
      return;
    }
    this.responded = true;
    if (endStream) this.ending = true;
    // A stream that is closed too early would otherwise send its end before its reset, like one that is whole.
    this.#stream.respond(headers, { endStream, waitForTrailers: !endStream });
  }

  write(bytes: Uint8Array): boolean {
    // Node ends the response to HEAD itself.
    if (this.closed || this.ending || this.#stream.writableEnded) return true;
    if (bytes.length > 0) {
      this.#queue.push(bytes);
      this.queuedBytes += bytes.length;
      this.#owner.queued(bytes.length);
      if (this.stuckSince === 0) this.stuckSince = performance.now();
      this.#pump();
    }
    if (!this.isFull) return true;
    this.#isFull = true;
    return false;
  }

  end(giveUp?: number): void {
    if (this.closed || this.ending) return;
    this.ending = true;
    if (giveUp !== undefined) this.giveUpAt = performance.now() + giveUp;
    this.#pump();
  }

  askDrained(): void {
    this.#isFull = true;
  }

  reset(code: number = Http2Code.internalError): void {
    if (this.closed) return;
    this.isReset = true;
    this.#stream.close(code);
  }

  goAway(): void {
    this.#owner.goAway();
  }

  read(): void {
    if (this.#isListening) {
      this.#stream.resume();
      return;
    }
    this.#isListening = true;
    this.#stream.on('data', (chunk: Buffer) => this.receiver.data(chunk));
    this.#stream.on('end', () => {
      // Node ends a stream that was reset like one that is whole.
      if (this.#stream.aborted || this.resetCode !== 0) return;
      this.#bodyEnded = true;
      this.receiver.bodyEnded();
    });
  }

  pause(): void {
    if (this.#isListening) this.#stream.pause();
  }

  /** Passes data to Node, up to its limit. */
  #pump(): void {
    while (this.#inFlight < MAX_IN_FLIGHT) {
      const bytes = this.#queue[0];
      if (bytes === undefined) {
        if (this.ending) this.#stream.end();
        return;
      }
      const end = Math.min(bytes.length, this.#handed + SLICE_BYTES);
      const slice = Buffer.from(bytes.buffer, bytes.byteOffset + this.#handed, end - this.#handed);
      const isLast = end === bytes.length;
      this.#handed = isLast ? 0 : end;
      if (isLast) this.#queue.shift();
      this.#inFlight += slice.length;
      this.#stream.write(slice, () => this.#taken(slice.length, isLast ? bytes : undefined));
    }
  }

  /** Node has sent a slice. `whole` is the part of the response that ends with it. */
  #taken(size: number, whole: Uint8Array | undefined): void {
    this.#inFlight -= size;
    this.#forget(size);
    if (whole !== undefined) this.copied?.(whole);
    if (this.closed) return;
    this.stuckSince = this.queuedBytes === 0 ? 0 : performance.now();
    this.#pump();
    if (!this.#isFull || this.queuedBytes > HIGH_WATER_MARK / 2) return;
    this.#isFull = false;
    this.receiver.drained();
  }

  #forget(size: number): void {
    const known = Math.min(size, this.queuedBytes);
    this.queuedBytes -= known;
    this.#owner.queued(-known);
  }

  /**
   * The response is complete: the rest of the request is not needed, and the client may stop sending. The reset is sent
   * in a later turn, because in this one it would discard the end of the response.
   */
  #finished(): void {
    if (!this.hasBody || this.#bodyEnded || !this.ending) return;
    setImmediate(() => {
      if (!this.closed) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    });
  }

  #closed(): void {
    this.#queue = [];
    this.#forget(this.queuedBytes);
    this.stuckSince = 0;
    this.#owner.closed(this);
    const { receiver } = this;
    this.receiver = noReceiver;
    receiver.closed();
  }
}
