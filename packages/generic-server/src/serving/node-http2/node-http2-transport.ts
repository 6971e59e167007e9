import type { TLSSocket } from 'node:tls';
import { Http2Code, rejectConnection } from '@apiserver/http2';
import { serveHttp2Stream } from '../http2/serve-http2-stream.js';
import { inadequacyOf } from '../tls/inadequate-security.js';
import { Connection } from '../transport/connection.js';
import type { Transport } from '../transport/transport.js';
import type { TransportContext } from '../transport/transport-context.js';
import { NodeHttp2Connection } from './node-http2-connection.js';

/**
 * HTTP/2 by `node:http2`: the reference for the transport of `@apiserver/http2`, used with
 * `--http2-implementation=node`. Its module loads Node's implementation, so it is imported on demand.
 */
export class NodeHttp2Transport implements Transport {
  readonly protocol = 'h2';
  readonly #context: TransportContext;
  readonly #maxConcurrentStreams: number;
  readonly #connections = new Set<NodeHttp2Connection>();
  #draining = false;

  /** `maxConcurrentStreams` is the limit of open streams on one connection. */
  constructor(context: TransportContext, maxConcurrentStreams: number) {
    this.#context = context;
    this.#maxConcurrentStreams = maxConcurrentStreams;
  }

  accept(socket: TLSSocket): void {
    const inadequacy = inadequacyOf(socket);
    if (inadequacy !== undefined) {
      rejectConnection(socket, Http2Code.inadequateSecurity, inadequacy);
      return;
    }
    const context = this.#context;
    const from = new Connection(socket);
    const connection = new NodeHttp2Connection(socket, this.#maxConcurrentStreams, {
      context,
      owner: {
        request: (stream) => serveHttp2Stream(context, stream, from),
        closed: (closed, error) => {
          this.#connections.delete(closed);
          if (error !== undefined) context.logger.v(4)?.info('HTTP/2 connection failed', { err: error.message });
        },
      },
    });
    this.#connections.add(connection);
    if (this.#draining) connection.goAway();
  }

  sweep(now: number, idleTimeout: number): void {
    for (const connection of this.#connections) connection.sweep(now, idleTimeout);
  }

  drain(): void {
    this.#draining = true;
    for (const connection of this.#connections) connection.goAway();
  }
}
