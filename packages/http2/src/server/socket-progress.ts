import type { Duplex } from 'node:stream';

/**
 * Tells since when a socket has taken nothing of what it was given. A write of Node's ends when the system has taken all of
 * it, which a slow reader may need minutes for. The handle below the socket tells how much is still missing, and so does that of
 * the connection below TLS. A stream without such a handle shows whole writes only.
 */
export class SocketProgress {
  readonly #socket: Duplex;
  #since = 0;
  /** Bytes that were missing at the last look; undefined: nobody has looked since the count began. */
  #missing: number | undefined = undefined;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** The socket has just taken something. Monotonic milliseconds. */
  restart(now: number): void {
    this.#since = now;
    this.#missing = undefined;
  }

  /** Monotonic milliseconds since when it takes nothing, as far as the looks show. */
  stuckSince(now: number): number {
    const missing = missingBytes(this.#socket);
    if (this.#missing !== undefined && missing !== this.#missing) this.#since = now;
    this.#missing = missing;
    return this.#since;
  }
}

/** Bytes of writes under way that the system has not taken. */
function missingBytes(socket: Duplex): number {
  const handle = fieldOf(socket, '_handle');
  return queueOf(handle) + queueOf(fieldOf(handle, '_parent'));
}

/** Of which Node itself makes the progress that its socket timeouts count. */
function queueOf(handle: unknown): number {
  const size = fieldOf(handle, 'writeQueueSize');
  return typeof size === 'number' ? size : 0;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
