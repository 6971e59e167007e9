import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { WorkTurns } from '@apiserver/apimachinery/clock';
import { ReadSlices } from '@apiserver/apimachinery/sockets';
import { checkLiteralAddress, lookupOptions } from './allowed-addresses.js';
import { type BackendLocation, type BackendTransport, portOf, requestTarget } from './backend.js';
import { MAX_RESPONSE_HEAD_BYTES, watchConnection } from './broken-connection.js';
import { expectedServer, tlsOptions } from './dial.js';
import { ioTimeout } from './dial-error.js';
import { type Created, createdBy, dialingAgents } from './dialing-agents.js';
import { headerBytes } from './header-bytes.js';
import { isSocksProxy, socksAgents } from './socks-agents.js';
import { tunnellingAgent } from './tunnelling-agent.js';
import { connectVerified, type SecureConnection } from './verified-tls.js';

/** A request to a backend. */
export interface BackendRequest {
  readonly method: string;
  /** By name, with the case in which names are sent. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Readable | Uint8Array | undefined;
  /** URL of the HTTP proxy that connects to the backend. Default: none. */
  readonly proxy?: string | undefined;
}

/** Lifetime of an unused connection, in milliseconds. */
const IDLE_TIMEOUT_MS = 90_000;

/** Responses 1xx before a response. Upstream bounds their bytes for most requests. */
const MAX_INFORMATIONAL = 100;
const TOO_MANY_INFORMATIONAL = 'net/http: too many 1xx informational responses';

/** The options of a request, which its agent hands on. A kept connection holds those of its first request. */
type WantedConnection = NetConnectOpts & ConnectionOptions & { readonly wish: Wish };

/** A request as its waiting connection sees it. */
interface Wish {
  /** The request was aborted. */
  isOver: boolean;
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** The process has one event loop. */
const slices = new ReadSlices({ ofServers: true });
/** A connection takes about 0.1 ms to begin, and one turn may bring the requests of a thousand clients for one backend. */
const openings = new WorkTurns();

/** Agents of each transport, by proxy. */
const agents = new WeakMap<BackendTransport, Map<string, Agents>>();

/**
 * Sends a request and resolves with the response head. Does not follow redirects. Rejects with Node's error if there
 * is no response, or with `signal.reason`.
 */
export async function fetchBackend(
  location: BackendLocation,
  transport: BackendTransport,
  sent: BackendRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  if (signal.aborted) throw signal.reason;
  checkLiteralAddress(location.hostname, transport);
  const { body } = sent;
  const wish: Wish = { isOver: false };
  const request = open(location, transport, sent, wish);
  watchConnection(request);
  request.once('socket', (socket) => slices.accept(socket));
  const abort = () => {
    wish.isOver = true;
    request.destroy(signal.reason);
    // Without a connection, the request itself fails in its turn.
    reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  request.once('close', () => signal.removeEventListener('abort', abort));
  request.setTimeout(transport.connectTimeout, () => {
    // Only connecting has a time limit; a response may take any time.
    const { socket } = request;
    if (socket?.connecting) request.destroy(ioTimeout());
    else if (isInHandshake(socket)) request.destroy(new Error('net/http: TLS handshake timeout'));
  });
  request.on('error', reject);
  let informational = 0;
  request.on('information', () => {
    if (++informational > MAX_INFORMATIONAL) request.destroy(new Error(TOO_MANY_INFORMATIONAL));
  });
  request.once('response', (response) => {
    request.setTimeout(0);
    resolve(response);
  });
  if (body === undefined || body instanceof Uint8Array) request.end(body);
  else body.once('error', (error) => request.destroy(error)).pipe(request);
  return promise;
}

/** Node's types lack `secureConnecting`. */
function isInHandshake(socket: Socket | null): boolean {
  return socket !== null && 'secureConnecting' in socket && socket.secureConnecting === true;
}

function open(
  location: BackendLocation,
  transport: BackendTransport,
  { method, headers, proxy = '' }: BackendRequest,
  wish: Wish,
): ClientRequest {
  const { http, https } = agentsOf(transport, proxy);
  const lines: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    lines[name] = typeof value === 'string' ? headerBytes(value) : value.map(headerBytes);
  }
  const options = {
    host: location.hostname,
    port: portOf(location),
    method,
    path: requestTarget(location) || '/',
    headers: lines,
    setDefaultHeaders: false,
    maxHeaderSize: MAX_RESPONSE_HEAD_BYTES,
    ...lookupOptions(transport),
    wish,
  };
  if (location.scheme !== 'https') return requestHttp({ ...options, agent: http });
  return requestHttps({ ...options, ...tlsOptions(location, transport), agent: https });
}

function agentsOf(transport: BackendTransport, proxy: string): Agents {
  let byProxy = agents.get(transport);
  if (byProxy === undefined) {
    byProxy = new Map();
    agents.set(transport, byProxy);
  }
  let made = byProxy.get(proxy);
  if (made === undefined) {
    made = newAgents(transport, proxy);
    byProxy.set(proxy, made);
  }
  return made;
}

function newAgents(transport: BackendTransport, proxy: string): Agents {
  const options = { keepAlive: true, timeout: IDLE_TIMEOUT_MS };
  const expected = (hostname = '') => expectedServer({ hostname }, transport);
  const secure: SecureConnection = (wanted, socket) =>
    connectVerified({ ...wanted, ...(socket && { socket }) }, expected(wanted.host));
  if (transport.dial !== undefined) return dialingAgents(transport.dial, secure, options);
  if (isSocksProxy(proxy)) return socksAgents(proxy, transport.connectTimeout, secure, options);
  if (proxy !== '') {
    const proxied = { ...options, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } };
    return { http: new HttpAgent(proxied), https: tunnellingAgent(proxied, expected) };
  }
  return {
    http: Object.assign(new HttpAgent(options), { createConnection: inTurns(connect) }),
    https: Object.assign(new HttpsAgent(options), { createConnection: inTurns(secure) }),
  };
}

/** Creates connections for an agent, as many in one turn of the event loop as may begin in it. */
function inTurns(connect: (wanted: WantedConnection) => Socket) {
  return (wanted: WantedConnection, created: Created): Socket | undefined => {
    if (openings.isFree()) return connect(wanted);
    openings.add(() => {
      if (wanted.wish.isOver) created(new Error('the request was aborted'));
      else createdBy(() => connect(wanted), created);
    });
    return undefined;
  };
}
