import type { Duplex } from 'node:stream';

/** A socket that knows how many bytes it was given. */
type CountingSocket = Duplex & { readonly bytesWritten: number };

/** A client's progress at the last look. */
interface Progress {
  taken: number;
  /** Monotonic milliseconds since when it is no more; undefined: nothing waits. */
  since: number | undefined;
}

/** The HTTP/1 connections of a listener, by how far their clients have read. */
export class Http1Readers {
  readonly #patient: WeakSet<Duplex>;
  readonly #open = new Map<CountingSocket, Progress>();

  /** Those of `patient` may leave unread what they like. */
  constructor(patient: WeakSet<Duplex>) {
    this.#patient = patient;
  }

  accept(socket: CountingSocket): void {
    this.#open.set(socket, { taken: 0, since: undefined });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Breaks off the connections whose clients have taken nothing of what waits for `patience` milliseconds. */
  sweep(now: number, patience: number): void {
    for (const [socket, progress] of this.#open) {
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0) progress.since = undefined;
      else if (taken !== progress.taken || progress.since === undefined) progress.since = now;
      else if (now - progress.since >= patience && !this.#patient.has(socket)) socket.destroy();
      progress.taken = taken;
    }
  }
}
