import type { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';

/** Opens a connection by another way than the network of this machine. `signal` ends the attempt. */
export type SocketDialer = (
  target: { readonly hostname: string; readonly port: number },
  signal?: AbortSignal,
) => Promise<Duplex>;

/** A connecting socket over a dialer. It emits `connect` once it is open. */
export class DialledSocket extends Duplex {
  readonly #dial: (signal: AbortSignal) => Promise<Duplex>;
  readonly #given = new AbortController();
  #inner: Duplex | undefined;

  constructor(dial: (signal: AbortSignal) => Promise<Duplex>) {
    super({ allowHalfOpen: false });
    this.#dial = dial;
  }

  override _construct(callback: (error?: Error | null) => void): void {
    this.#dial(this.#given.signal).then(
      (inner) => {
        this.#join(inner);
        callback();
        if (!this.destroyed) this.emit('connect');
      },
      (error: Error) => callback(error),
    );
  }

  override _read(): void {
    this.#inner?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#inner?.write(chunk, callback);
  }

  override destroy(error?: Error): this {
    this.#given.abort(error);
    return super.destroy(error);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#inner?.destroy();
    callback(error);
  }

  #join(inner: Duplex): void {
    this.#inner = inner;
    inner.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) inner.pause();
    });
    inner.once('end', () => this.push(null));
    inner.on('error', (error) => this.destroy(error));
    inner.once('close', () => this.destroy());
  }
}
