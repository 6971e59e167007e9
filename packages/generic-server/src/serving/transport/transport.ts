import type { TLSSocket } from 'node:tls';

/** A protocol by its ALPN name. */
export type TransportProtocol = 'h2' | 'http/1.1';

/**
 * Serves one protocol over the connections of a listener. Every request becomes an Exchange of the handler in its
 * TransportContext. Bytes that wait for clients are counted in the `unread` of that context. The listener owns the sockets:
 * it destroys those that are left when the time to drain is over.
 */
export interface Transport {
  readonly protocol: TransportProtocol;
  /** Takes over a connection whose TLS handshake is done and whose client has chosen this protocol. */
  accept(socket: TLSSocket): void;
  /**
   * Ends connections that have been idle for `idleTimeout` milliseconds, and aborts responses that clients do not read.
   * `now` is monotonic, in milliseconds. Call it every few seconds.
   */
  sweep(now: number, idleTimeout: number): void;
  /**
   * Announces the end to every client, now and on connections that are accepted later. Requests under way are served;
   * idle connections close. Idempotent.
   */
  drain(): void;
}
