import type { Duplex } from 'node:stream';

/**
 * Measures how long a socket has made no progress. A write of Node's ends when the system has accepted all of it,
 * which may take minutes with a slow reader. The handle below the socket, or that of the connection below TLS, has
 * the number of missing bytes. A stream without such a handle shows whole writes only.
 */
export class SocketProgress {
  readonly #socket: Duplex;
  #since = 0;
  /** Missing bytes at the last check; undefined: there was none since the restart. */
  #missing: number | undefined = undefined;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** The socket made progress at `now`, in monotonic milliseconds. */
  restart(now: number): void {
    this.#since = now;
    this.#missing = undefined;
  }

  /** Monotonic milliseconds since when it makes no progress, as far as the calls show. */
  stuckSince(now: number): number {
    const missing = missingBytes(this.#socket);
    if (this.#missing !== undefined && missing !== this.#missing) this.#since = now;
    this.#missing = missing;
    return this.#since;
  }
}

/** Bytes of pending writes that the system has not accepted. */
function missingBytes(socket: Duplex): number {
  const handle = fieldOf(socket, '_handle');
  return queueOf(handle) + queueOf(fieldOf(handle, '_parent'));
}

/** The number by which Node's socket timeouts measure progress. */
function queueOf(handle: unknown): number {
  const size = fieldOf(handle, 'writeQueueSize');
  return typeof size === 'number' ? size : 0;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
