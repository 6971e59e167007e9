import type { TLSSocket } from 'node:tls';
import {
  Http2ServerConnection,
  type Http2ServerContext,
  PiecePool,
  type ServedConnection,
  type ServerStream,
  Turn,
} from '@apiserver/http2';
import { Connection } from './connection.js';
import { httpDate } from './http-date.js';
import { Http2Call } from './http2-call.js';
import { parseRequestTarget } from './request-target.js';
import type { TransportContext } from './transport-context.js';

/** Upstream: net/http.DefaultMaxHeaderBytes, and what http2.serverConn.maxHeaderListSize adds for ten fields */
const maxHeaderListSize = 1024 * 1024 + 320;
/** Upstream: secure_serving.go, resourceBody99Percentile */
const initialWindowSize = 256 * 1024;
/** What a connection may hold of request bodies that nobody has read. Upstream: secure_serving.go, MaxUploadBufferPerConnection */
const connectionWindow = 25 * 1024 * 1024;

/** The HTTP/2 side of a listener. */
export class Http2Transport {
  readonly #context: TransportContext;
  readonly #shared: Http2ServerContext;
  readonly #connections = new Map<ServedConnection, Connection>();
  #closing = false;

  /** `maxConcurrentStreams`: what a client may have open on one connection. */
  constructor(context: TransportContext, maxConcurrentStreams: number) {
    this.#context = context;
    this.#shared = {
      turn: new Turn(),
      pool: new PiecePool(),
      maxConcurrentStreams,
      maxHeaderListSize,
      initialWindowSize,
      connectionWindow,
      request: (stream, connection) => this.#serve(stream, connection),
      closed: (connection, error) => this.#closed(connection, error),
    };
  }

  /** Serves a connection whose client has chosen HTTP/2. */
  accept(socket: TLSSocket): void {
    const connection = new Http2ServerConnection(socket, this.#shared);
    this.#connections.set(connection, new Connection(socket));
    // Its handshake was under way when the others were told.
    if (this.#closing) connection.leave();
  }

  /** Sends connections away that had no stream for `idleTimeout` milliseconds. To be called every few seconds. */
  sweep(idleTimeout: number): void {
    const now = performance.now();
    for (const connection of this.#connections.keys()) connection.sweep(now, idleTimeout);
  }

  /** Tells every client to go elsewhere and closes each connection when its last stream ends. */
  closeAll(): void {
    this.#closing = true;
    for (const connection of this.#connections.keys()) connection.leave();
  }

  #serve(stream: ServerStream, from: ServedConnection): void {
    const connection = this.#connections.get(from);
    const target = parseRequestTarget(stream.head.path, stream.head.method);
    if (target === undefined || connection === undefined) {
      this.#refuse(stream, '400 Bad Request');
      return;
    }
    if (stream.head.refusal !== undefined) {
      this.#refuse(stream, `${stream.head.refusal}\n`);
      return;
    }
    const call = new Http2Call(this.#context, { stream, target, connection });
    stream.receiver = call;
    void call.run();
  }

  /** What is answered before anybody looks at the request. */
  #refuse(stream: ServerStream, text: string): void {
    const date = httpDate(this.#context.now());
    stream.respond(400, { 'content-type': 'text/plain; charset=utf-8', date }, false);
    stream.write(Buffer.from(text));
    stream.end();
  }

  #closed(connection: ServedConnection, error: Error | undefined): void {
    this.#connections.delete(connection);
    if (error !== undefined) this.#context.logger.v(4)?.info('HTTP/2 connection failed', { err: error.message });
  }
}
