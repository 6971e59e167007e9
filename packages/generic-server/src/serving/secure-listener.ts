import { createServer, type Server, type ServerOptions } from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { MAX_FIELDS } from '@apiserver/http2';
import { AddressedServers } from './addressed-servers.js';
import { Http1Readers } from './http1/http1-readers.js';
import { serveAllHttp1 } from './http1/http1-transport.js';
import { Http2Transport } from './http2/http2-transport.js';
import { answerPlainHttp } from './plain-http.js';
import { ServingContexts } from './serving-contexts.js';
import type { TlsMaterial } from './tls-material.js';
import { type TransportContext, transportContext, unreadTime } from './transport-context.js';

/** Upstream closes a connection without a request after that time. Upstream: net/http.Server.IdleTimeout in secure_serving.go */
const idleTimeout = 90_000;
/** Upstream: ReadHeaderTimeout in secure_serving.go */
const defaultHeadersTimeout = 32_000;
/** Upstream: net/http.DefaultMaxHeaderBytes, and what conn.serve reads beyond it */
const maxHeaderBytes = 1024 * 1024 + 4096;
const idleSweepInterval = 5_000;

/** What a listener is made of. */
export interface SecureListenerOptions {
  readonly tls: TlsMaterial;
  readonly handler: Handler;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Streams a client may have open on one connection. */
  readonly maxConcurrentStreams: number;
  readonly disableHttp2: boolean;
  /** Time for the handshake, and for the head of a request, in milliseconds. Default: 32,000. */
  readonly headersTimeout?: number;
  /** Told of every TLS handshake that fails. */
  readonly onHandshakeError?: () => void;
}

/** A TLS port for HTTP/2, HTTP/1 and upgrades. Upstream: k8s.io/apiserver/pkg/server/secure_serving.go */
export interface SecureListener extends AsyncDisposable {
  /**
   * Starts to listen; port 0 takes a free one. With `sharePort`, others that ask for it too may listen there (SO_REUSEPORT).
   * Rejects with node's error when that cannot be.
   */
  listen(
    address: string,
    port: number,
    options?: { readonly sharePort?: boolean },
  ): Promise<{ readonly address: string; readonly port: number }>;
  /** Serves new connections with other certificates. */
  setTls(tls: TlsMaterial): void;
  /** Stops listening, lets open requests finish for at most `grace` milliseconds, then ends every connection. */
  close(grace: number): Promise<void>;
}

/** Makes a listener; nothing is opened before `listen`. */
export function createSecureListener(options: SecureListenerOptions): SecureListener {
  const contexts = new ServingContexts(options.tls);
  const transports: Http2Transport[] = [];
  const context = transportContext(options);
  const http1 = new Http1Readers(context.patient);
  const makeServer = (address?: string) => {
    const server = createServer(serverOptions(options, contexts, address));
    transports.push(serve(server, { context, http1, options }));
    return server;
  };
  const server = makeServer();
  const addressed = new AddressedServers(server, contexts.addresses, makeServer);
  const sockets = trackSockets(server);
  let sweep: NodeJS.Timeout | undefined;
  const close = async (grace: number) => {
    addressed.close();
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : Promise.resolve();
    for (const http2 of transports) http2.closeAll();
    const timer = setTimeout(() => destroyAll(sockets), grace);
    await Promise.all([closed, allGone(sockets)]);
    clearTimeout(timer);
    clearInterval(sweep);
  };
  return {
    listen: async (host, port, { sharePort: reusePort = false } = {}) => {
      await listening(server, { host, port, reusePort });
      sweep = setInterval(() => {
        for (const http2 of transports) http2.sweep(idleTimeout);
        http1.sweep(performance.now(), unreadTime);
      }, idleSweepInterval);
      sweep.unref();
      return boundTo(server);
    },
    setTls: (tls) => {
      contexts.use(tls);
      server.setSecureContext(contexts.optionsFor());
      for (const [address, other] of addressed.entries()) other.setSecureContext(contexts.optionsFor(address));
    },
    close,
    [Symbol.asyncDispose]: () => close(0),
  };
}

/** The parts that the servers of a listener share. */
interface ListenerParts {
  readonly context: TransportContext;
  readonly http1: Http1Readers;
  readonly options: SecureListenerOptions;
}

/** Everything that comes over the connections of a server. */
function serve(server: Server, { context, http1, options }: ListenerParts): Http2Transport {
  const http2 = new Http2Transport(context, options.maxConcurrentStreams);
  const acceptHttp1 = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.accept(socket);
    else {
      http1.accept(socket);
      for (const listener of acceptHttp1) listener.call(server, socket);
    }
  });
  serveAllHttp1(server, context);
  // One more, so that it shows: what is beyond, Node drops.
  server.maxHeadersCount = MAX_FIELDS + 1;
  answerPlainHttp(server, options.logger);
  if (options.onHandshakeError !== undefined) server.on('tlsClientError', options.onHandshakeError);
  return http2;
}

function serverOptions(
  options: SecureListenerOptions,
  contexts: ServingContexts,
  address: string | undefined,
): ServerOptions {
  const { disableHttp2, headersTimeout = defaultHeadersTimeout } = options;
  return {
    ...contexts.optionsFor(address),
    ...contexts.sniOptions(),
    ALPNProtocols: disableHttp2 ? ['http/1.1'] : ['h2', 'http/1.1'],
    // As upstream: who has no authorities for clients asks them for nothing.
    requestCert: options.tls.clientCA !== '',
    // The authenticator judges the certificate; a bad one gets a 401 that says so.
    rejectUnauthorized: false,
    handshakeTimeout: headersTimeout,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 180_000,
    ...http1Limits,
    headersTimeout,
  };
}

const http1Limits = {
  // Who says no host is refused in upstream's words, see http1/refusals.ts.
  requireHostHeader: false,
  keepAliveTimeout: idleTimeout,
  requestTimeout: 0,
  // How exactly headersTimeout is kept; node looks every 30 s otherwise.
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: maxHeaderBytes,
};

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
 * An address is bound here and now, where Node has a way to (24 got it later than its first release). Else Node looks it
 * up like a name and asks whether it is IPv6, by a pattern that takes 6 ms to compile. Throws the error of the bind.
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

interface TrackedSockets {
  readonly open: Set<Socket>;
  /** Everybody who waits: a listener may be closed again, with less patience. */
  readonly whenEmpty: (() => void)[];
  closing: boolean;
}

function trackSockets(server: Server): TrackedSockets {
  const tracked: TrackedSockets = { open: new Set(), whenEmpty: [], closing: false };
  server.on('connection', (socket: Socket) => {
    tracked.open.add(socket);
    socket.once('close', () => {
      tracked.open.delete(socket);
      if (tracked.open.size > 0) return;
      for (const resolve of tracked.whenEmpty.splice(0)) resolve();
    });
    if (tracked.closing) socket.destroy();
  });
  return tracked;
}

function destroyAll(sockets: TrackedSockets): void {
  sockets.closing = true;
  for (const socket of sockets.open) socket.destroy();
}

function allGone(sockets: TrackedSockets): Promise<void> {
  if (sockets.open.size === 0) return Promise.resolve();
  return new Promise((resolve) => sockets.whenEmpty.push(resolve));
}
