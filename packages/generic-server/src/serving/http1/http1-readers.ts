import type { Duplex } from 'node:stream';
import { SocketProgress } from '@apiserver/http2';

/** A socket with a counter of written bytes. */
type CountingSocket = Duplex & { readonly bytesWritten: number };

/** The progress of a client at the last check. */
interface Progress {
  readonly write: SocketProgress;
  /** Bytes of completed writes. */
  taken: number;
  /** Bytes wait for the client. */
  isWaiting: boolean;
}

/** Detects clients of HTTP/1 connections that do not read. */
export class Http1Readers {
  readonly #patient: WeakSet<Duplex>;
  readonly #open = new Map<CountingSocket, Progress>();

  /** `patient`: connections whose clients may pause for any time. */
  constructor(patient: WeakSet<Duplex>) {
    this.#patient = patient;
  }

  accept(socket: CountingSocket): void {
    this.#open.set(socket, { write: new SocketProgress(socket), taken: 0, isWaiting: false });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Destroys connections whose clients have read nothing for `patience` milliseconds while bytes wait. */
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
