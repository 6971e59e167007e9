import { Http2Code } from '../frames/frame-types.js';
import { GatheredBytes } from '../frames/gathered-bytes.js';
import type { EndedRequest } from './ended-requests.js';
import type { OutputBuffer } from './output-buffer.js';
import type { RequestHead } from './request-head.js';

/** Bytes that a stream queues before its writer should wait. */
const HIGH_WATER_MARK = 256 * 1024;

/** Header fields by lower-case name. A character stands for a byte. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * Handlers of the events of a stream. They are called during `read` and `reset`, and during no other method of the
 * stream.
 */
export interface StreamReceiver {
  /** A part of the body, as a view that may be kept. Called only between `read` and the end of the body. */
  data(chunk: Buffer): void;
  /** The body is complete. Called only after `read`. */
  bodyEnded(): void;
  /** The queue has fallen below the high-water mark. */
  drained(): void;
  /** The last event: the response has been sent, or the stream is broken. */
  closed(): void;
}

/** The connection of a stream. */
export interface ServerStreamOwner {
  respond(stream: ServerStream, status: number, fields: HeaderFields, endStream: boolean): void;
  /** The stream has output. */
  wake(stream: ServerStream): void;
  /** Resets the stream. */
  abandon(stream: ServerStream, code: number): void;
  /** Bytes of the body have been consumed. */
  consumed(stream: ServerStream, bytes: number): void;
  /** The change in the number of queued response bytes. */
  queued(bytes: number): void;
  /** Sends GOAWAY and ends the connection after the open requests. */
  goAway(): void;
}

const noReceiver: StreamReceiver = { data() {}, bodyEnded() {}, drained() {}, closed() {} };

/** One request and its response. Its methods do not throw, and do nothing after the end of the stream. */
export class ServerStream implements EndedRequest {
  readonly id: number;
  readonly head: RequestHead;
  /** The request did not end with its head. */
  readonly hasBody: boolean;
  /** Set it when the request is dispatched. */
  receiver: StreamReceiver = noReceiver;
  /** Called for each part of the response once it is copied: no reference to it remains here. */
  copied: ((bytes: Uint8Array) => void) | undefined = undefined;
  /** The stream sends events, which precede other responses. Set it before the first `write`. */
  isEvents = false;
  /** The source of the response waits for a client that does not read, without a time limit. */
  isPatient = false;
  readonly #owner: ServerStreamOwner;

  // The rest is for the connection only.
  /** The client has ended its side. */
  remoteEnded: boolean;
  /** The stream is no longer in the table of the connection. */
  closed = false;
  /** Code of the reset that ended the stream, on whichever side; undefined: there was none. */
  resetCode: number | undefined = undefined;
  /** Send window; negative after the client has reduced it. */
  sendWindow: number;
  /** Bytes sent without credit in return: the client may not have read them. */
  untaken = 0;
  /** Receive window. */
  receiveWindow: number;
  /** Bytes consumed for which no credit was sent. */
  unreturned = 0;
  /** Bytes of the body received. */
  bodyBytes = 0;
  /** The stream is queued to send. */
  waiting = false;
  /** The stream waits for a window. */
  parked = false;
  /** A final head has been sent. */
  responded = false;
  /** The response is complete when the queue is empty. */
  ending = false;
  /** The last frame of the response has been collected. */
  localEnded = false;
  /** Monotonic milliseconds at which the queue is dropped; 0: never. */
  giveUpAt = 0;
  /** Monotonic milliseconds since when a window, of the stream or of the connection, blocks the queue; 0: none does. */
  stuckSince = 0;
  /** Bytes of the response in the queue. */
  queuedBytes = 0;
  #queue: Uint8Array[] = [];
  /** Bytes of the first part in the queue that have been sent. */
  #sent = 0;
  /** A writer was told to wait. */
  #full = false;
  /** Bytes of the body that arrived before `read`. */
  #unread: GatheredBytes | undefined = undefined;
  #reading = false;

  constructor(id: number, head: RequestHead, owner: ServerStreamOwner, windows: StreamWindows) {
    this.id = id;
    this.head = head;
    this.#owner = owner;
    this.remoteEnded = windows.remoteEnded;
    this.hasBody = !windows.remoteEnded;
    this.sendWindow = windows.send;
    this.receiveWindow = windows.receive;
  }

  /** Sends the head of the response, or a 1xx before it. With `endStream` there is no body. */
  respond(status: number, fields: HeaderFields, endStream: boolean): void {
    if (this.closed || this.ending) return;
    if (status >= 200) this.responded = true;
    this.#owner.respond(this, status, fields, endStream);
  }

  /** Sends a part of the response, which must not change. Returns false when the writer should wait for `drained`. */
  write(bytes: Uint8Array): boolean {
    if (this.closed || this.ending) return true;
    if (bytes.length > 0) {
      this.#queue.push(bytes);
      this.queuedBytes += bytes.length;
      this.#owner.queued(bytes.length);
      if (!this.waiting && !this.parked) this.#owner.wake(this);
    }
    if (this.queuedBytes <= HIGH_WATER_MARK) return true;
    this.#full = true;
    return false;
  }

  /** Ends the response. Bytes that the client has not accepted after `giveUp` milliseconds are dropped. */
  end(giveUp?: number): void {
    if (this.closed || this.ending) return;
    this.ending = true;
    if (giveUp !== undefined) this.giveUpAt = performance.now() + giveUp;
    if (!this.waiting && !this.parked) this.#owner.wake(this);
  }

  /** True when more is queued than should be. */
  get isFull(): boolean {
    return this.queuedBytes > HIGH_WATER_MARK;
  }

  /** Asks for a call of `drained`. */
  askDrained(): void {
    this.#full = true;
  }

  /** Resets the stream. */
  reset(code: number = Http2Code.internalError): void {
    if (!this.closed) this.#owner.abandon(this, code);
  }

  /** Sends GOAWAY: the connection accepts no further request. */
  goAway(): void {
    this.#owner.goAway();
  }

  /**
   * Starts delivery of the body to the receiver, beginning with the received part. Before this call, the client may
   * send one window.
   */
  read(): void {
    this.#reading = true;
    const unread = this.#unread?.take();
    this.#unread = undefined;
    if (unread !== undefined) {
      this.receiver.data(unread);
      this.#owner.consumed(this, unread.length);
    }
    if (this.remoteEnded && !this.closed) this.receiver.bodyEnded();
  }

  /** Stops passing on the body and returning credit, until `read`. */
  pause(): void {
    this.#reading = false;
  }

  // The rest is for the connection only.

  /** Receives a part of the body. */
  take(chunk: Buffer): void {
    if (this.#reading) {
      this.receiver.data(chunk);
      if (chunk.length > 0) this.#owner.consumed(this, chunk.length);
      return;
    }
    this.#unread ??= new GatheredBytes();
    this.#unread.push(chunk);
  }

  /** Adds credit to the send window. */
  enlarge(by: number): void {
    this.sendWindow += by;
    this.untaken = Math.max(0, this.untaken - by);
  }

  endBody(): void {
    this.remoteEnded = true;
    if (this.#reading) this.receiver.bodyEnded();
  }

  /** Copies the next `size` bytes of the response. */
  moveTo(output: OutputBuffer, size: number): void {
    let missing = size;
    let done = 0;
    while (missing > 0) {
      const bytes = this.#queue[done] as Uint8Array;
      const part = Math.min(missing, bytes.length - this.#sent);
      output.bytes(bytes, this.#sent, this.#sent + part);
      missing -= part;
      this.#sent += part;
      if (this.#sent < bytes.length) break;
      this.#sent = 0;
      done++;
      this.copied?.(bytes);
    }
    // A new array, because V8 sets the length of an old one slowly.
    if (done === this.#queue.length) this.#queue = [];
    else if (done > 0) this.#queue.splice(0, done);
    this.queuedBytes -= size;
    this.untaken += size;
    this.stuckSince = 0;
    this.#owner.queued(-size);
    if (!this.#full || this.queuedBytes > HIGH_WATER_MARK / 2) return;
    this.#full = false;
    this.receiver.drained();
  }

  /** Closes the stream; `tell` has to follow. Returns the number of body bytes that were not consumed. */
  close(): number {
    this.closed = true;
    if (this.#queue.length > 0) this.#queue = [];
    this.#owner.queued(-this.queuedBytes);
    this.queuedBytes = 0;
    const unread = this.#unread?.length ?? 0;
    this.#unread = undefined;
    return unread;
  }

  /** Tells the receiver of the end. Costs more than all the rest of it. */
  tell(): void {
    const { receiver } = this;
    this.receiver = noReceiver;
    receiver.closed();
  }
}

/** The initial state of a stream. */
export interface StreamWindows {
  readonly send: number;
  readonly receive: number;
  /** The request ended with its head. */
  readonly remoteEnded: boolean;
}
