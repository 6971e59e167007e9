import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ReadSlices } from '@apiserver/apimachinery/sockets';
import { MAX_FIELDS } from '@apiserver/http2';
import { Connection } from '../transport/connection.js';
import { parseRequestTarget } from '../transport/request-target.js';
import { ServerExchange } from '../transport/server-exchange.js';
import type { Transport } from '../transport/transport.js';
import { type TransportContext, UNREAD_TIME_MS } from '../transport/transport-context.js';
import { Http1Call, type UpgradeRequest } from './http1-call.js';
import { Http1Readers } from './http1-readers.js';
import { Http1Request } from './http1-request.js';
import { refuseUnreadable } from './parse-errors.js';
import { badRequest, http1Refusal, refuse } from './refusals.js';
import { RequestQueue } from './request-queue.js';
import { keepParsing } from './unpaused-parser.js';
import { hasBody } from './unread-body.js';

const connections = new WeakMap<Duplex, Connection>();

/** Optional properties of a request on HTTP/1. */
export interface Http1Extras {
  readonly upgrade?: UpgradeRequest;
  /** The client waits for a 100 Continue before it sends its body. */
  readonly awaitsContinue?: boolean;
}

/** Upstream: net/http.DefaultMaxHeaderBytes, and the 4 KiB that conn.serve reads beyond it */
const MAX_HEADER_BYTES = 1024 * 1024 + 4096;
/** Upstream: net/http.Server.IdleTimeout in secure_serving.go */
const KEEP_ALIVE_TIMEOUT_MS = 90_000;

/** HTTP/1.1 by Node's parser. Its server does not listen; the listener passes it connections. */
export class Http1Transport implements Transport {
  readonly protocol = 'http/1.1';
  readonly #context: TransportContext;
  readonly #headersTimeout: number;
  readonly #readers: Http1Readers;
  readonly #slices = new ReadSlices();
  /** Made for the first connection: a start and clients of HTTP/2 do not need it. */
  #server: Server | undefined;

  /** `headersTimeout`: milliseconds for the head of a request. */
  constructor(context: TransportContext, headersTimeout: number) {
    this.#context = context;
    this.#headersTimeout = headersTimeout;
    this.#readers = new Http1Readers(context.patient);
  }

  accept(socket: TLSSocket): void {
    this.#server ??= newHttp1Server(this.#context, this.#headersTimeout, this.#slices);
    this.#readers.accept(socket);
    this.#server.emit('connection', socket);
    keepParsing(socket);
    this.#slices.accept(socket);
  }

  /** Node itself ends connections that are idle. */
  sweep(now: number): void {
    this.#readers.sweep(now, UNREAD_TIME_MS);
    this.#context.unread.look(now);
  }

  drain(): void {
    this.#context.isDraining = true;
    this.#server?.close();
  }
}

function newHttp1Server(context: TransportContext, headersTimeout: number, slices: ReadSlices): Server {
  const server = createServer({
    // A request without a host is refused in upstream's words, see refusals.ts.
    requireHostHeader: false,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: 0,
    headersTimeout,
    // Interval of the check of headersTimeout. Node's default is 30 s.
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  // Node drops fields beyond this number; one more than allowed shows that there were too many.
  server.maxHeadersCount = MAX_FIELDS + 1;
  const release = (_: IncomingMessage, socket: Duplex) => slices.release(socket);
  server.on('upgrade', release).on('connect', release);
  serveAllHttp1(server, context, slices);
  // Node starts its timer for heads when its server listens.
  server.emit('listening');
  return server;
}

/** Serves all connections of a server on HTTP/1. Upstream: net/http/server.go, conn.serve */
function serveAllHttp1(server: Server, context: TransportContext, slices: ReadSlices): void {
  const turns = new RequestQueue(slices, (socket) => {
    if (context.isDraining) socket.end();
  });
  const serve = (message: IncomingMessage, response: ServerResponse, extras?: Http1Extras): void =>
    turns.take(message.socket, response, () => {
      if (extras?.upgrade !== undefined) attach(response, message.socket);
      const refusal = http1Refusal(message);
      if (refusal === undefined) serveHttp1(context, message, response, extras);
      else refuse(response, refusal);
    });
  const serveUpgrade = (message: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => {});
    serve(message, new ServerResponse(message), { upgrade: { socket, head } });
  };
  server.on('request', (message, response) => serve(message, response));
  server.on('checkContinue', (message, response) => serve(message, response, { awaitsContinue: hasBody(message) }));
  server.on('checkExpectation', ({ socket }, response) =>
    turns.take(socket, response, () => {
      response.writeHead(417, { Connection: 'close', 'Content-Length': '0' });
      response.end();
    }),
  );
  server.on('upgrade', serveUpgrade);
  server.on('connect', serveUpgrade);
  refuseUnreadable(server, (socket) => slices.isPaused(socket));
}

/** Serves one HTTP/1 request, or one of a host framework. Never throws. */
export function serveHttp1(
  context: TransportContext,
  message: IncomingMessage,
  response: ServerResponse,
  { upgrade, awaitsContinue = false }: Http1Extras = {},
): void {
  const target = parseRequestTarget(message.url ?? '', message.method ?? '');
  if (target === undefined) {
    refuse(response, badRequest());
    return;
  }
  if (target.isServer) {
    // For the server as a whole: no authentication. Upstream: globalOptionsHandler in net/http
    response.removeHeader('Connection');
    response.writeHead(200, { 'Content-Length': '0' });
    response.end();
    return;
  }
  const welcome = awaitsContinue ? welcomeOf(response) : undefined;
  const request = new Http1Request(message, target, connectionOf(message), welcome);
  void new Http1Call(context, new ServerExchange(request, context.now()), { message, response, upgrade }).run();
}

/** Without 100 Continue the connection ends with the response, because the client may send the body anyway. */
function welcomeOf(response: ServerResponse): () => void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  return () => {
    // After the head, it would be part of the response. Upstream: canWriteContinue in net/http/server.go
    if (response.headersSent) return;
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  };
}

/** Gives a response the connection that Node has detached. The connection ends with the response. */
function attach(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    // Node's server does the same for its own responses: it is the end of the exchange.
    response.emit('close');
    socket.end();
    // The body is no longer needed, but a disconnect is only noticed while reading.
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), UNREAD_TIME_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  });
}

function connectionOf(message: IncomingMessage): Connection {
  const { socket } = message;
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const made = new Connection(socket);
  connections.set(socket, made);
  return made;
}
