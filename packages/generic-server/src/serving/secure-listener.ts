import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions, type Server as TlsServer } from 'node:tls';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { Http1Transport } from './http1/http1-transport.js';
import { Http2Transport } from './http2/http2-transport.js';
import { AddressedServers } from './tls/addressed-servers.js';
import { HandshakeQueue } from './tls/handshake-queue.js';
import { logHandshakeError, respondToPlainHttp } from './tls/plain-http.js';
import { ServingContexts } from './tls/serving-contexts.js';
import type { TlsMaterial } from './tls/tls-material.js';
import { TrackedSockets } from './tracked-sockets.js';
import type { Transport } from './transport/transport.js';
import { type TransportContext, transportContext } from './transport/transport-context.js';

/**
 * Time after which a connection without a request is closed. Upstream: net/http.Server.IdleTimeout in secure_serving.go
 */
const IDLE_TIMEOUT_MS = 90_000;
/** Upstream: ReadHeaderTimeout in secure_serving.go */
const DEFAULT_HEADERS_TIMEOUT_MS = 32_000;
const IDLE_SWEEP_INTERVAL_MS = 5_000;

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 180_000 } as const;

/** An implementation of HTTP/2. `maxConcurrentStreams`: number of streams that a client may open on one connection. */
export type Http2TransportClass = new (context: TransportContext, maxConcurrentStreams: number) => Transport;

/** The options of a listener. */
export interface SecureListenerOptions {
  readonly tls: TlsMaterial;
  readonly handler: Handler;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Number of streams that a client may open on one connection. */
  readonly maxConcurrentStreams: number;
  readonly disableHttp2: boolean;
  /** The implementation of HTTP/2. Default: `Http2Transport`. */
  readonly http2Transport?: Http2TransportClass;
  /** Time for the TLS handshake, and for the head of a request, in milliseconds. Default: 32,000. */
  readonly headersTimeout?: number;
  /**
   * True: the certificates are read for the first connection. A listener that nobody connects to needs no TLS context then.
   * Default: false, so that certificates that cannot be used are an error here.
   */
  readonly tlsAtFirstConnection?: boolean;
  /** Called for every failed TLS handshake. */
  readonly onHandshakeError?: () => void;
}

/** A TLS port for HTTP/2, HTTP/1 and upgrades. Upstream: k8s.io/apiserver/pkg/server/secure_serving.go */
export interface SecureListener extends AsyncDisposable {
  /**
   * Starts to listen; port 0 takes a free one. `sharePort` allows other processes to listen on the same port
   * (SO_REUSEPORT). Rejects with Node's error.
   */
  listen(
    address: string,
    port: number,
    options?: { readonly sharePort?: boolean },
  ): Promise<{ readonly address: string; readonly port: number }>;
  /** Serves new connections with other certificates. Throws for those that cannot be used; the last ones stay then. */
  setTls(tls: TlsMaterial): void;
  /** Stops listening, waits at most `grace` milliseconds for open requests, then ends every connection. */
  close(grace: number): Promise<void>;
}

/** Creates a listener, which opens nothing before `listen`. Throws for certificates that cannot be used. */
export function createSecureListener(options: SecureListenerOptions): SecureListener {
  return new TlsListener(options);
}

/** A TCP server accepts the connections. A TLS server that does not listen handshakes those of its address. */
class TlsListener implements SecureListener {
  readonly #contexts: ServingContexts;
  readonly #transports: readonly Transport[];
  readonly #tlsServers: AddressedServers;
  readonly #handshakes: HandshakeQueue;
  readonly #server = net.createServer(socketOptions);
  readonly #sockets = new TrackedSockets(this.#server);
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: SecureListenerOptions) {
    this.#contexts = new ServingContexts(options.tls);
    this.#transports = transportsOf(options);
    this.#tlsServers = new AddressedServers(this.#contexts.addresses, (address) => this.#tlsServer(options, address));
    this.#handshakes = this.#handshakeQueue(options);
    if (options.tlsAtFirstConnection !== true) this.#tlsServers.prepare();
    this.#server.on('connection', (socket: Socket) => this.#handshakes.accept(socket));
  }

  async listen(
    host: string,
    port: number,
    { sharePort: reusePort = false }: { readonly sharePort?: boolean } = {},
  ): Promise<{ readonly address: string; readonly port: number }> {
    await listening(this.#server, { host, port, reusePort });
    this.#sweep = setInterval(() => {
      for (const transport of this.#transports) transport.sweep(performance.now(), IDLE_TIMEOUT_MS);
    }, IDLE_SWEEP_INTERVAL_MS);
    this.#sweep.unref();
    return boundTo(this.#server);
  }

  setTls(tls: TlsMaterial): void {
    this.#contexts.use(tls);
    for (const [address, server] of this.#tlsServers.entries()) {
      server.setSecureContext(this.#contexts.optionsFor(address));
    }
  }

  async close(grace: number): Promise<void> {
    const server = this.#server;
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : Promise.resolve();
    for (const transport of this.#transports) transport.drain();
    const timer = setTimeout(() => this.#sockets.destroy(), grace);
    await Promise.all([closed, this.#sockets.gone()]);
    clearTimeout(timer);
    clearInterval(this.#sweep);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close(0);
  }

  /** The server for connections to an address; undefined: to any other. */
  #tlsServer(options: SecureListenerOptions, address: string | undefined): TlsServer {
    const server = createTlsServer(serverOptions(options, this.#contexts, { address, transports: this.#transports }));
    serve(server, this.#transports, options);
    const over = () => this.#handshakes.over();
    return server.on('secureConnection', over).on('tlsClientError', over);
  }

  #handshakeQueue(options: SecureListenerOptions): HandshakeQueue {
    const { logger, onHandshakeError, headersTimeout: patience = DEFAULT_HEADERS_TIMEOUT_MS } = options;
    return new HandshakeQueue({
      begin: (socket) => {
        if (!begin(this.#tlsServers, socket, options)) this.#handshakes.over();
      },
      lost: (socket, error) => {
        logHandshakeError(logger, socket, error);
        onHandshakeError?.();
      },
      patience,
    });
  }
}

/** False: the server has no certificates that it could use. */
function begin(servers: AddressedServers, socket: Socket, { logger }: SecureListenerOptions): boolean {
  try {
    servers.accept(socket);
    return true;
  } catch (error) {
    logger.error(error, 'The serving certificates cannot be used');
    socket.destroy();
    return false;
  }
}

/** The transports in the order of preference. */
function transportsOf(options: SecureListenerOptions): readonly Transport[] {
  const context = transportContext(options);
  const http1 = new Http1Transport(context, options.headersTimeout ?? DEFAULT_HEADERS_TIMEOUT_MS);
  if (options.disableHttp2) return [http1];
  const { http2Transport = Http2Transport, maxConcurrentStreams } = options;
  return [new http2Transport(context, maxConcurrentStreams), http1];
}

/** Passes each connection to the transport of its protocol. A client without ALPN speaks HTTP/1.1. */
function serve(
  server: TlsServer,
  transports: readonly Transport[],
  { logger, onHandshakeError }: SecureListenerOptions,
) {
  const byProtocol = new Map<unknown, Transport>(transports.map((transport) => [transport.protocol, transport]));
  server.on('secureConnection', (socket: TLSSocket) => {
    (byProtocol.get(socket.alpnProtocol) ?? byProtocol.get('http/1.1'))?.accept(socket);
  });
  respondToPlainHttp(server, logger);
  if (onHandshakeError !== undefined) server.on('tlsClientError', onHandshakeError);
}

function serverOptions(
  { tls, headersTimeout = DEFAULT_HEADERS_TIMEOUT_MS }: SecureListenerOptions,
  contexts: ServingContexts,
  { address, transports }: { readonly address: string | undefined; readonly transports: readonly Transport[] },
): TlsOptions {
  return {
    ...contexts.optionsFor(address),
    ...contexts.sniOptions(),
    ALPNProtocols: alpnProtocols(transports),
    // As upstream: a server without client authorities requests no certificate.
    requestCert: tls.clientCA !== '',
    // The authenticator verifies the certificate, and returns a 401 for an invalid one.
    rejectUnauthorized: false,
    handshakeTimeout: headersTimeout,
  };
}

/** Names in the form of the wire. Node copies all but a DataView into Buffer's pool, which would live as long as the server. */
function alpnProtocols(transports: readonly Transport[]): DataView {
  const names = transports.map(({ protocol }) => Buffer.from(protocol));
  const bytes = new Uint8Array(names.flatMap((name) => [name.length, ...name]));
  return new DataView(bytes.buffer);
}

function listening(server: Server, place: ListenPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(listenTarget(place), () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Binds an address synchronously where Node can. Otherwise Node resolves the address like a name and tests it for IPv6
 * with a pattern that takes 6 ms to compile. Throws the error of the bind.
 */
function listenTarget(place: ListenPlace): net.BoundSocket | ListenPlace {
  return net.isIPv4(place.host) && 'BoundSocket' in net ? new net.BoundSocket(place) : place;
}

interface ListenPlace {
  readonly host: string;
  readonly port: number;
  readonly reusePort: boolean;
}

function boundTo(server: Server): { address: string; port: number } {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return { address: address.address, port: address.port };
}
