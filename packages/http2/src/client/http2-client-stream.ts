import type { HeaderField } from '../hpack/static-table.js';

/** The end of a stream. */
export interface StreamEnd {
  /** Code of a reset; undefined: the stream ended normally, or the connection failed. */
  readonly resetCode?: number;
  /** The reason why the connection failed. */
  readonly error?: Error;
  /** True if the server has certainly not begun to process the request. */
  readonly unsent: boolean;
}

/** Handlers of the events of a stream. They are never called from within the call that opens it. */
export interface StreamHandlers {
  /** A field of the headers or of the trailers. */
  header(field: HeaderField): void;
  data(chunk: Buffer): void;
  /** The last event. */
  closed(end: StreamEnd): void;
}

/** The connection of a stream. */
export interface StreamOwner {
  /** The stream has output. */
  wake(stream: Http2ClientStream): void;
  /** Resets a stream. */
  cancel(stream: Http2ClientStream): void;
}

/** One request and its response. */
export class Http2ClientStream {
  readonly headers: Uint8Array;
  readonly handlers: StreamHandlers;
  readonly #owner: StreamOwner;
  /** 0 until the stream is opened. */
  id = 0;
  /** Send window. */
  sendWindow = 0;
  /** Bytes consumed for which no credit was sent. */
  received = 0;
  closed = false;
  /** This side has ended. */
  ended = false;
  /** The stream is queued to send. */
  waiting = false;
  /** The stream waits for a window. */
  parked = false;
  readonly #outgoing: Uint8Array[] = [];
  #last = false;

  constructor(headers: Uint8Array, handlers: StreamHandlers, owner: StreamOwner) {
    this.headers = headers;
    this.handlers = handlers;
    this.#owner = owner;
  }

  /** Sends bytes, which must not change. They are dropped when the stream is closed. */
  write(bytes: Uint8Array, last: boolean): void {
    if (this.closed || this.#last) return;
    this.#outgoing.push(bytes);
    this.#last = last;
    this.#owner.wake(this);
  }

  /** Cancels the stream; `closed` is no longer called. Idempotent. */
  cancel(): void {
    if (this.closed) return;
    this.closed = true;
    this.#owner.cancel(this);
  }

  /**
   * Passes on the bytes that the windows allow, in parts of at most one frame. Returns how much of the connection's
   * window they used. `end` comes with the last part.
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

  /** True while bytes wait for a window. */
  get blocked(): boolean {
    return this.#outgoing.length > 0;
  }
}
