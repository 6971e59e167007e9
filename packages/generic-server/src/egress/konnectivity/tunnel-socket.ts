import type { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { PacketStream } from './packet-stream.js';

/** The tunnel of a connection. */
export interface TunnelCarrier {
  readonly packets: PacketStream;
  readonly clock: Clock;
  /** Ends the tunnel. Idempotent. */
  close(): void;
}

/** Bytes of a packet. Servers refuse messages beyond 4 MiB. */
const MAX_DATA = 32 * 1024;
/** Milliseconds for which a server waits for a reader. Upstream: readTimeoutSeconds of grpcTunnel */
const READ_TIMEOUT_MS = 10_000;
/** Milliseconds in which a server confirms a close. Upstream: CloseTimeout */
const CLOSE_TIMEOUT_MS = 10_000;

/** A tunnel was closed because its reader was too slow. */
class ReadTimeoutError extends Error {}

/**
 * A connection through a tunnel. A reader that pauses for more than 10 seconds loses it: a konnectivity server that has
 * to wait for one tunnel serves no other one of the same agent. There is no half-closed state.
 * Upstream: conn of konnectivity-client/pkg/client
 */
export class TunnelSocket extends Duplex {
  readonly #carrier: TunnelCarrier;
  readonly #connectId: bigint;
  /** Ends the wait for a reader, or for the confirmation of a close. */
  #cancel: () => void = () => {};
  #isOver = false;

  constructor(carrier: TunnelCarrier, connectId: bigint) {
    super({ allowHalfOpen: false });
    this.#carrier = carrier;
    this.#connectId = connectId;
  }

  /** Called by the tunnel with received bytes. */
  receive(data: Uint8Array): void {
    // The tunnel still sends while it closes.
    if (this.destroyed || data.length === 0 || this.push(data)) return;
    this.#carrier.packets.pause();
    this.#cancel();
    this.#cancel = this.#carrier.clock.schedule(() => {
      this.destroy(new ReadTimeoutError('the reader of the tunnel is too slow'));
    }, READ_TIMEOUT_MS);
  }

  /** Called by the tunnel when the other side has closed the connection, or the tunnel has ended. Idempotent. */
  over(): void {
    this.#isOver = true;
    this.#cancel();
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }

  override _read(): void {
    this.#cancel();
    this.#carrier.packets.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    const rest = chunk.subarray(MAX_DATA);
    const next = () => (rest.length === 0 ? callback() : this._write(rest, encoding, callback));
    const data = chunk.subarray(0, MAX_DATA);
    this.#carrier.packets.send('DATA', { connectId: this.#connectId, data }, (error) => {
      if (error) callback(error);
      else next();
    });
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#cancel();
    if (!this.#isOver) {
      const { packets, clock } = this.#carrier;
      packets.send('CLOSE_REQ', { connectId: this.#connectId });
      // Packets before the confirmation are dropped.
      packets.resume();
      this.#cancel = clock.schedule(() => this.#carrier.close(), CLOSE_TIMEOUT_MS);
    }
    callback(error);
  }
}
