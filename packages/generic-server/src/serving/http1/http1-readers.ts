import type { Duplex } from 'node:stream';
import { SocketProgress } from '@apiserver/http2';

/** A socket that knows how many bytes it was given. */
type CountingSocket = Duplex & { readonly bytesWritten: number };

/** A client's progress at the last look. */
interface Progress {
  readonly write: SocketProgress;
  /** Bytes of the writes that have ended. */
  taken: number;
  /** Something waits. */
  isWaiting: boolean;
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
    this.#open.set(socket, { write: new SocketProgress(socket), taken: 0, isWaiting: false });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Breaks off the connections whose clients have taken nothing of what waits for `patience` milliseconds. */
  sweep(now: number, patience: number): void {
    for (const [socket, progress] of this.#open) {
      const wasWaiting = progress.isWaiting;
      progress.isWaiting = socket.writableLength > 0;
      if (!progress.isWaiting) continue;
      const taken = socket.bytesWritten - socket.writableLength;
      if (!wasWaiting || taken !== progress.taken) progress.write.restart(now);
      progress.taken = taken;
      if (now - progress.write.stuckSince(now) >= patience && !this.#patient.has(socket)) socket.destroy();
    }
  }
}
