import type { TLSSocket } from 'node:tls';
import {
  BufferPool,
  Http2Code,
  Http2ServerConnection,
  type Http2ServerContext,
  rejectConnection,
  type ServedConnection,
  type ServerStream,
} from '@apiserver/http2';
import { inadequacyOf } from '../tls/inadequate-security.js';
import { Connection } from '../transport/connection.js';
import type { Transport } from '../transport/transport.js';
import type { TransportContext } from '../transport/transport-context.js';
import { BODY_BYTES, connectionWindowOf, maxHeaderListSize } from './http2-limits.js';
import { serveHttp2Stream } from './serve-http2-stream.js';

/** HTTP/2 by `@apiserver/http2`. */
export class Http2Transport implements Transport {
  readonly protocol = 'h2';
  readonly #context: TransportContext;
  readonly #shared: Http2ServerContext;
  readonly #connections = new Map<ServedConnection, Connection>();
  #draining = false;

  /** `maxConcurrentStreams` is the limit of open streams on one connection. */
  constructor(context: TransportContext, maxConcurrentStreams: number) {
    this.#context = context;
    this.#shared = {
      scheduler: context.scheduler,
      pool: new BufferPool(),
      unread: context.unread,
      ended: context.ended,
      maxConcurrentStreams,
      maxHeaderListSize,
      maxFrameSize: BODY_BYTES,
      initialWindowSize: BODY_BYTES,
      connectionWindow: connectionWindowOf(maxConcurrentStreams),
      request: (stream, connection) => this.#serve(stream, connection),
      closed: (connection, error) => this.#closed(connection, error),
    };
  }

  /** Serves a connection whose client has chosen HTTP/2. */
  accept(socket: TLSSocket): void {
    const inadequacy = inadequacyOf(socket);
    if (inadequacy !== undefined) {
      rejectConnection(socket, Http2Code.inadequateSecurity, inadequacy);
      return;
    }
    const connection = new Http2ServerConnection(socket, this.#shared);
    this.#connections.set(connection, new Connection(socket));
    // Its handshake ended after the other connections were notified.
    if (this.#draining) connection.goAway();
  }

  sweep(now: number, idleTimeout: number): void {
    for (const connection of this.#connections.keys()) connection.sweep(now, idleTimeout);
  }

  drain(): void {
    this.#draining = true;
    for (const connection of this.#connections.keys()) connection.goAway();
  }

  #serve(stream: ServerStream, from: ServedConnection): void {
    const connection = this.#connections.get(from);
    if (connection !== undefined) serveHttp2Stream(this.#context, stream, connection);
  }

  #closed(connection: ServedConnection, error: Error | undefined): void {
    this.#connections.delete(connection);
    if (error !== undefined) this.#context.logger.v(4)?.info('HTTP/2 connection failed', { err: error.message });
  }
}
