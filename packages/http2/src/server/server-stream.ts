import { Http2Code } from '../frames/frame-types.js';
import { GatheredBytes } from '../frames/gathered-bytes.js';
import type { OutputBuffer } from './output-buffer.js';
import type { RequestHead } from './request-head.js';

/** Bytes that a stream takes before whoever writes should wait. */
const HIGH_WATER_MARK = 256 * 1024;

/** Header fields by lower-case name; one character stands for one byte. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** Gets what happens to a stream. None is called from within a call of the stream's methods but `read` and `reset`. */
export interface StreamReceiver {
  /** A part of the body, a view that may be kept; only between `read` and the body's end. */
  data(chunk: Buffer): void;
  /** The body is whole. Comes after `read` only. */
  bodyEnded(): void;
  /** What is queued has sunk below the high-water mark again. */
  drained(): void;
  /** Once, and the last: the answer has been sent, or the stream is broken. */
  closed(): void;
}

/** What a stream asks of its connection. */
export interface ServerStreamOwner {
  respond(stream: ServerStream, status: number, fields: HeaderFields, endStream: boolean): void;
  /** Something is there to be sent. */
  wake(stream: ServerStream): void;
  /** Ends the stream from this side. */
  abandon(stream: ServerStream, code: number): void;
  /** So many bytes of the body have been taken. */
  consumed(stream: ServerStream, bytes: number): void;
  /** So many bytes more of the answer wait; below 0: fewer. */
  queued(bytes: number): void;
  /** Takes no more requests, and ends when all are answered. */
  goAway(): void;
}

const noReceiver: StreamReceiver = { data() {}, bodyEnded() {}, drained() {}, closed() {} };

/** One request and its answer. Nothing throws; what comes after the stream's end is dropped. */
export class ServerStream {
  readonly id: number;
  readonly head: RequestHead;
  /** Its head was not all of the request. */
  readonly hasBody: boolean;
  /** To be set when the stream is handed over. */
  receiver: StreamReceiver = noReceiver;
  /** Told of each part of the answer that has been copied whole: nobody refers to it here any more. */
  copied: ((bytes: Uint8Array) => void) | undefined = undefined;
  /** The stream sends events, which go before answers. To be set before the first `write`. */
  isEvents = false;
  /** Its source waits for the client, however long that does not read. */
  isPatient = false;
  readonly #owner: ServerStreamOwner;

  // For the connection alone, from here on.
  /** The other side has said all. */
  remoteEnded: boolean;
  /** It is no more in the connection's table. */
  closed = false;
  /** The code of the reset that ended it, from whichever side; undefined: none. */
  resetCode: number | undefined = undefined;
  /** Bytes that the other side still takes; below 0 when it has taken leave back. */
  sendWindow: number;
  /** Bytes sent for which the other side has given no window back: it may not have read them. */
  untaken = 0;
  /** Bytes that the other side may still send. */
  receiveWindow: number;
  /** Bytes taken that the other side has not been given leave for again. */
  unreturned = 0;
  /** Bytes of the body that have come. */
  bodyBytes = 0;
  /** Is in line to send. */
  waiting = false;
  /** Waits for a window to open. */
  parked = false;
  /** A head has been sent. */
  responded = false;
  /** The answer is complete when the queue is empty. */
  ending = false;
  /** The last frame of the answer has been gathered. */
  localEnded = false;
  /** Monotonic milliseconds when what is queued is given up; 0: never. */
  giveUpAt = 0;
  /** Monotonic milliseconds since when there is no window, of its own or the connection's, for what is queued; 0: there is. */
  stuckSince = 0;
  /** Bytes of the answer that wait here. */
  queuedBytes = 0;
  #queue: Uint8Array[] = [];
  /** Of the first in the queue, how much has been sent. */
  #sent = 0;
  /** Somebody was told to wait. */
  #full = false;
  /** What has come before anybody read. */
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

  /** Sends the head of the answer, or 1xx before it; with `endStream` that is all. */
  respond(status: number, fields: HeaderFields, endStream: boolean): void {
    if (this.closed || this.ending) return;
    if (status >= 200) this.responded = true;
    this.#owner.respond(this, status, fields, endStream);
  }

  /** Sends a part of the answer, which must stay as it is. Answers whether more is welcome before `drained`. */
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

  /** The answer ends with what has been written. What the client has not taken `giveUp` milliseconds later is dropped. */
  end(giveUp?: number): void {
    if (this.closed || this.ending) return;
    this.ending = true;
    if (giveUp !== undefined) this.giveUpAt = performance.now() + giveUp;
    if (!this.waiting && !this.parked) this.#owner.wake(this);
  }

  /** More is queued than should be. */
  get isFull(): boolean {
    return this.queuedBytes > HIGH_WATER_MARK;
  }

  /** Somebody waits for `drained`. */
  askDrained(): void {
    this.#full = true;
  }

  /** Breaks the stream off. */
  reset(code: number = Http2Code.internalError): void {
    if (!this.closed) this.#owner.abandon(this, code);
  }

  /** No further request is taken on this connection. */
  goAway(): void {
    this.#owner.goAway();
  }

  /** From here on the receiver is given the body; what has come already at once. Until then the client may send a window's worth. */
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

  /** Nothing of the body is handed on, and no further window given, until `read`. */
  pause(): void {
    this.#reading = false;
  }

  // What follows is for the connection.

  /** A part of the body has come. */
  take(chunk: Buffer): void {
    if (this.#reading) {
      this.receiver.data(chunk);
      if (chunk.length > 0) this.#owner.consumed(this, chunk.length);
      return;
    }
    this.#unread ??= new GatheredBytes();
    this.#unread.push(chunk);
  }

  /** The client takes so many bytes more. */
  enlarge(by: number): void {
    this.sendWindow += by;
    this.untaken = Math.max(0, this.untaken - by);
  }

  endBody(): void {
    this.remoteEnded = true;
    if (this.#reading) this.receiver.bodyEnded();
  }

  /** Copies the next `size` bytes of the answer. */
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
    if (done === this.#queue.length) this.#queue.length = 0;
    else if (done > 0) this.#queue.splice(0, done);
    this.queuedBytes -= size;
    this.untaken += size;
    this.stuckSince = 0;
    this.#owner.queued(-size);
    if (!this.#full || this.queuedBytes > HIGH_WATER_MARK / 2) return;
    this.#full = false;
    this.receiver.drained();
  }

  /** It is over: answers how many bytes of its body nobody has taken. */
  close(): number {
    this.closed = true;
    this.#queue.length = 0;
    this.#owner.queued(-this.queuedBytes);
    this.queuedBytes = 0;
    const unread = this.#unread?.length ?? 0;
    this.#unread = undefined;
    const { receiver } = this;
    this.receiver = noReceiver;
    receiver.closed();
    return unread;
  }
}

/** What a stream begins with. */
export interface StreamWindows {
  readonly send: number;
  readonly receive: number;
  /** The request has no body. */
  readonly remoteEnded: boolean;
}
