import type { TLSSocket } from 'node:tls';
import {
  Http2Code,
  Http2ServerConnection,
  type Http2ServerContext,
  PiecePool,
  rejectConnection,
  type ServedConnection,
  type ServerStream,
} from '@apiserver/http2';
import { inadequacyOf } from '../tls/inadequate-security.js';
import { Connection } from '../transport/connection.js';
import { parseRequestTarget } from '../transport/request-target.js';
import type { Transport } from '../transport/transport.js';
import type { TransportContext } from '../transport/transport-context.js';
import { httpDate } from './http-date.js';
import { Http2Call } from './http2-call.js';

/** Upstream: net/http.DefaultMaxHeaderBytes, and what http2.serverConn.maxHeaderListSize adds for ten fields */
const maxHeaderListSize = 1024 * 1024 + 320;
/**
 * Bytes of most objects: of the frames of a client, and of its body that nobody has read. As much of all bodies of a connection
 * together as that for each of its streams. Upstream: secure_serving.go, resourceBody99Percentile
 */
const bodyBytes = 256 * 1024;

/** Upstream: RFC 9113, section 6.9.1 */
const largestWindow = 2 ** 31 - 1;

/** HTTP/2 by `@apiserver/http2`. */
export class Http2Transport implements Transport {
  readonly protocol = 'h2';
  readonly #context: TransportContext;
  readonly #shared: Http2ServerContext;
  readonly #connections = new Map<ServedConnection, Connection>();
  #draining = false;

  /** `maxConcurrentStreams`: what a client may have open on one connection. */
  constructor(context: TransportContext, maxConcurrentStreams: number) {
    this.#context = context;
    this.#shared = {
      turn: context.turn,
      pool: new PiecePool(),
      unread: context.unread,
      maxConcurrentStreams,
      maxHeaderListSize,
      maxFrameSize: bodyBytes,
      initialWindowSize: bodyBytes,
      connectionWindow: Math.min(bodyBytes * maxConcurrentStreams, largestWindow),
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
    // Its handshake was under way when the others were told.
    if (this.#draining) connection.leave();
  }

  sweep(now: number, idleTimeout: number): void {
    for (const connection of this.#connections.keys()) connection.sweep(now, idleTimeout);
  }

  drain(): void {
    this.#draining = true;
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
    if (target.isServer) {
      this.#answerForServer(stream);
      return;
    }
    const call = new Http2Call(this.#context, { stream, target, connection });
    stream.receiver = call;
    void call.run();
  }

  /** Nobody is asked. Upstream: globalOptionsHandler in net/http */
  #answerForServer(stream: ServerStream): void {
    stream.respond(200, { 'content-length': '0', date: httpDate(this.#context.now()) }, true);
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
