import type { Clock } from '@apiserver/apimachinery/clock';
import type { Http2ClientConnection } from '@apiserver/http2';

/** Upstream: go.etcd.io/etcd/server/embed DefaultGRPCKeepAliveMinTime; gRPC's own default is longer, for quiet connections. */
const LEAST_PING_MS = 5000;

export interface ConnectionPulseOptions {
  readonly clock: Clock;
  /** Milliseconds between two pings while something is under way. */
  readonly interval: number;
  /** Milliseconds that an answer may take. */
  readonly timeout: number;
  /** What a connection is ended with that does not answer. */
  readonly failure: string;
}

/**
 * Finds out whether the other side of a connection still lives, and ends the connection if it does not: also one that takes
 * no more requests, since a watch on it may last long. Where nothing is under way nobody is asked: servers take that ill.
 */
export class ConnectionPulse {
  readonly #connection: Http2ClientConnection;
  readonly #options: ConnectionPulseOptions;
  #nextProbe = 0;
  #cancel: () => void = () => {};

  constructor(connection: Http2ClientConnection, options: ConnectionPulseOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#schedule();
  }

  /** Asks now. May be called for every call: servers close connections that ping them too often. */
  probe(): void {
    const { clock, timeout, failure } = this.#options;
    const now = clock.now();
    if (this.#connection.connecting || now < this.#nextProbe) return;
    this.#nextProbe = now + LEAST_PING_MS;
    this.#connection.ping(clock.schedule(() => this.#connection.destroy(new Error(failure)), timeout));
  }

  stop(): void {
    this.#cancel();
  }

  #schedule(): void {
    const { clock, interval } = this.#options;
    this.#cancel = clock.schedule(() => {
      if (this.#connection.busy) this.probe();
      this.#schedule();
    }, interval);
  }
}
