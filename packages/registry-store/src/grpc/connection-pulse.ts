import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import type { Http2ClientConnection } from '@apiserver/http2';

/**
 * Upstream: go.etcd.io/etcd/server/embed DefaultGRPCKeepAliveMinTime; gRPC's own default is longer, for quiet
 * connections.
 */
const MIN_PING_MS = 5000;

/** Dependencies of `ConnectionPulse`. */
export interface ConnectionPulseOptions {
  readonly clock: Clock;
  /** Milliseconds between two pings while requests are pending. */
  readonly interval: number;
  /** Timeout of a ping in milliseconds. */
  readonly timeout: number;
  /** The error with which an unresponsive connection is closed. */
  readonly failure: string;
}

/**
 * Checks that the peer of a connection is alive, and closes the connection if it is not. This includes a connection
 * that accepts no more requests, because a watch on it may last long. Idle connections are not pinged: servers reject
 * that.
 */
export class ConnectionPulse {
  readonly #connection: Http2ClientConnection;
  readonly #options: ConnectionPulseOptions;
  #nextProbe = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(connection: Http2ClientConnection, options: ConnectionPulseOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#schedule();
  }

  /**
   * Pings now. May be called for every call: its rate is limited, because servers close connections that ping too
   * often.
   */
  probe(): void {
    const { clock, timeout, failure } = this.#options;
    const now = durationClock(clock).now();
    if (this.#connection.connecting || now < this.#nextProbe) return;
    this.#nextProbe = now + MIN_PING_MS;
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
