import type { HeaderField } from '../hpack/static-table.js';

/** How a stream came to its end. */
export interface StreamEnd {
  /** The code of a reset; undefined: it ended, or the connection broke. */
  readonly resetCode?: number;
  /** Why the connection broke. */
  readonly error?: Error;
  /** The other side has certainly not begun with it. */
  readonly unsent: boolean;
}

/** Gets what a stream brings. Never called from within the call that opens the stream. */
export interface StreamHandlers {
  /** Of the headers, and of the trailers. */
  header(field: HeaderField): void;
  data(chunk: Buffer): void;
  /** Once, and the last. */
  closed(end: StreamEnd): void;
}

/** What a stream asks of its connection. */
export interface StreamOwner {
  /** Something is there to be sent. */
  wake(stream: Http2ClientStream): void;
  /** Ends a stream that this side has given up. */
  cancel(stream: Http2ClientStream): void;
}

/** One request and its answer, in the hands of its connection. */
export class Http2ClientStream {
  readonly headers: Uint8Array;
  readonly handlers: StreamHandlers;
  readonly #owner: StreamOwner;
  /** 0 until it is opened. */
  id = 0;
  /** Bytes that the other side still takes. */
  sendWindow = 0;
  /** Bytes received that the other side has not been given leave for again. */
  received = 0;
  closed = false;
  /** Our side has said all. */
  ended = false;
  /** Waits for its turn to send. */
  waiting = false;
  /** Waits for a window to open. */
  parked = false;
  readonly #outgoing: Uint8Array[] = [];
  #last = false;

  constructor(headers: Uint8Array, handlers: StreamHandlers, owner: StreamOwner) {
    this.headers = headers;
    this.handlers = handlers;
    this.#owner = owner;
  }

  /** Sends bytes, which must stay as they are; dropped when the stream is closed. */
  write(bytes: Uint8Array, last: boolean): void {
    if (this.closed || this.#last) return;
    this.#outgoing.push(bytes);
    this.#last = last;
    this.#owner.wake(this);
  }

  /** Gives the stream up; `closed` is not called any more. Idempotent. */
  cancel(): void {
    if (this.closed) return;
    this.closed = true;
    this.#owner.cancel(this);
  }

  /**
   * Hands on what may be sent, in parts of at most a frame; answers how much of the connection's window it took. `end` comes
   * with the last part of all.
   */
  send(window: number, maxFrame: number, part: (bytes: Uint8Array, end: boolean) => void): number {
    let taken = 0;
    for (let bytes = this.#outgoing[0]; bytes !== undefined; bytes = this.#outgoing[0]) {
      const size = Math.min(bytes.length, this.sendWindow, window - taken, maxFrame);
      if (size <= 0 && bytes.length > 0) return taken;
      if (size === bytes.length) this.#outgoing.shift();
      else this.#outgoing[0] = bytes.subarray(size);
      this.sendWindow -= size;
      taken += size;
      this.ended = this.#last && this.#outgoing.length === 0;
      part(size === bytes.length ? bytes : bytes.subarray(0, size), this.ended);
    }
    return taken;
  }

  /** Something waits for the other side's leave. */
  get blocked(): boolean {
    return this.#outgoing.length > 0;
  }
}
