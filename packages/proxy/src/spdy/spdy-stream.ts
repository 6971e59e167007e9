import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';

/** What a stream needs of its connection. */
export interface StreamCarrier {
  /** Sends bytes of a stream; calls back when the connection wants more. */
  sendData(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error | null) => void): void;
  /** Tells the other side that this one has given the stream up. */
  reset(streamId: number): void;
  /** Asks for more bytes, after a stream had too many. */
  wantMore(streamId: number): void;
}

/** One stream of a SPDY connection: what is written goes to the other side, `end` sends FIN, what comes can be read. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly #carrier: StreamCarrier;
  #finished = false;

  constructor(id: number, carrier: StreamCarrier) {
    super({ allowHalfOpen: true, emitClose: true });
    this.id = id;
    this.#carrier = carrier;
  }

  /** For the connection: bytes that came. Answers whether the stream can take more. */
  receive(data: Uint8Array, fin: boolean): boolean {
    const more = data.length === 0 || this.push(data);
    if (fin && !this.#finished) {
      this.#finished = true;
      this.push(null);
    }
    return more;
  }

  override _read(): void {
    this.#carrier.wantMore(this.id);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#carrier.sendData(this.id, chunk, false, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#carrier.sendData(this.id, Buffer.alloc(0), true, callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!(this.readableEnded && this.writableFinished)) this.#carrier.reset(this.id);
    callback(error);
  }
}
