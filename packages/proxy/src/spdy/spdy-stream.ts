import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';

/** The connection as a stream uses it. */
export interface StreamCarrier {
  /** Sends data of a stream; calls back when the connection accepts more. */
  sendData(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error | null) => void): void;
  /** Resets a stream. */
  reset(streamId: number): void;
  /** Resumes reading for a stream whose buffer was full. */
  wantMore(streamId: number): void;
}

/** One stream of a SPDY connection. `end` sends FIN. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly #carrier: StreamCarrier;
  #finished = false;

  constructor(id: number, carrier: StreamCarrier) {
    super({ allowHalfOpen: true, emitClose: true });
    this.id = id;
    this.#carrier = carrier;
  }

  /** Called by the connection with received data. Returns whether the stream accepts more. */
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
