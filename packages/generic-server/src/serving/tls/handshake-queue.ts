import type { Socket } from 'node:net';
import { afterPromises } from '@apiserver/apimachinery/clock';

/** Handshakes that are under way, up to which the next one may begin at once. */
const AT_ONCE = 16;
/** Milliseconds of handshakes that begin in one turn of the event loop. The signature of one takes up to 2 ms. */
const TURN_MS = 2;

/** The effects of a queue on its connections. */
export interface HandshakeQueueOptions {
  /**
   * Begins a handshake. `over` of the queue has to be called once when it has ended, for better or worse. An error is
   * that of a handshake which has not begun, and is thrown on.
   */
  readonly begin: (socket: Socket) => void;
  /** Called for a connection that ended before its handshake began. */
  readonly lost: (socket: Socket, error: Error) => void;
  /** Milliseconds in which a waiting client has to send its first bytes. */
  readonly patience: number;
}

/**
 * Begins TLS handshakes in slices. A handshake takes about 0.1 ms of cryptography when its first bytes arrive. One poll of the
 * system may bring those of hundreds of clients. While more than a few are under way, further connections wait here: first for
 * their bytes, then for a turn. So a silent client keeps no other from a handshake.
 */
export class HandshakeQueue {
  readonly #options: HandshakeQueueOptions;
  readonly #ready: (() => void)[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(options: HandshakeQueueOptions) {
    this.#options = options;
  }

  accept(socket: Socket): void {
    if (this.#underWay < AT_ONCE) this.#begin(socket);
    else this.#wait(socket);
  }

  /** A handshake has ended. */
  over(): void {
    this.#underWay--;
  }

  #begin(socket: Socket): void {
    this.#underWay++;
    try {
      this.#options.begin(socket);
    } catch (error) {
      this.over();
      throw error;
    }
  }

  /** Node reads from the socket already; a TLS socket takes over what was read. */
  #wait(socket: Socket): void {
    const { lost, patience } = this.#options;
    let error = new Error('the connection was closed before the TLS handshake');
    const failed = (cause: Error) => {
      error = cause;
    };
    const closed = () => lost(socket, error);
    const late = () => socket.destroy(new Error('TLS handshake timeout'));
    const begin = () => {
      // It is lost.
      if (socket.destroyed) return;
      socket.off('error', failed).off('close', closed);
      this.#begin(socket);
    };
    socket.setTimeout(patience, late);
    socket.once('error', failed).once('close', closed);
    socket.once('readable', () => {
      socket.setTimeout(0).off('timeout', late);
      this.#ready.push(begin);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#ready.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#beginNext(performance.now());
    });
  }

  /** The TLS socket reads the first bytes in the next tick, which is part of the time. */
  #beginNext(turnBegun: number): void {
    const begin = this.#ready.shift();
    if (begin === undefined) return;
    // A handshake that cannot begin keeps no other waiting.
    try {
      begin();
    } finally {
      afterPromises(() => {
        if (performance.now() - turnBegun < TURN_MS) this.#beginNext(turnBegun);
        else this.#schedule();
      });
    }
  }
}
