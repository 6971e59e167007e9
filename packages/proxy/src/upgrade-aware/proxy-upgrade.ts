import { newInternalError, plainFailure } from '@apiserver/apimachinery/errors';
import type { ApiRequest, ApiResponse, Exchange, UpgradeSocket } from '@apiserver/apiserver-contracts';
import { type BackendLocation, type BackendTransport, hostOf } from '../backend/backend.js';
import { forwardedHeaders, type HeaderLines } from './forwarded-headers.js';
import { joinSockets } from './join-sockets.js';
import {
  type BackendUpgradeRequest,
  type BackendUpgradeResponse,
  openUpgrade,
  UpgradeFailure,
} from './open-upgrade.js';
import { decodedBody, readResponseBody } from './response-body.js';

/** The backend of an upgrade. */
interface UpgradeTarget {
  readonly location: BackendLocation;
  readonly transport: BackendTransport;
  readonly isIdentified?: boolean;
  readonly maxBytesPerSec?: number;
}

/**
 * Proxies an upgrade. The client's connection is handed over only after the backend's 101. A refusal of the backend
 * is forwarded; any other response (such as a redirect) is an error.
 * Upstream: tryUpgrade in k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go
 */
export async function proxyUpgrade(
  exchange: Exchange,
  { location, transport, isIdentified, maxBytesPerSec }: UpgradeTarget,
): Promise<ApiResponse> {
  const { request } = exchange;
  const requested: BackendUpgradeRequest = {
    method: request.method,
    host: isIdentified === true ? hostOf(location) : request.host,
    headers: { ...defaultAgent(request), ...forwardedHeaders(exchange, isIdentified) },
  };
  const response = await requestUpgrade(exchange, location, transport, requested);
  // Without the protocol, the client's connection cannot be handed over.
  if (request.headers.get('upgrade') === undefined) return refusal(exchange, response);
  if (response.head.status !== 101) {
    return { type: 'upgrade', status: response.head.status, run: (client) => echo(client, response) };
  }
  return {
    type: 'upgrade',
    run: async ({ socket, head }) => {
      socket.write(response.head.raw);
      if (response.rest.length > 0) socket.write(response.rest);
      if (head.length > 0) response.socket.write(head);
      await joinSockets(socket, response.socket, { signal: exchange.signal, maxBytesPerSec });
    },
  };
}

/** A client without a name gets Go's, unlike in other requests. Upstream: Request.Write of Go's net/http */
function defaultAgent({ headers }: ApiRequest): HeaderLines {
  return headers.all('user-agent').length === 0 ? { 'User-Agent': 'Go-http-client/1.1' } : {};
}

/**
 * Requests an upgrade and returns the response: a 101, or a refusal of at least 400. Throws a StatusError for any
 * other response. Destroys the socket if the client disconnects before it is handed over.
 */
export async function requestUpgrade(
  exchange: Exchange,
  location: BackendLocation,
  transport: BackendTransport,
  requested: BackendUpgradeRequest,
): Promise<BackendUpgradeResponse> {
  let response: BackendUpgradeResponse;
  try {
    response = await openUpgrade(location, transport, requested, exchange.signal);
  } catch (error) {
    throw error instanceof UpgradeFailure ? plainFailure(500, error.message) : error;
  }
  const { status } = response.head;
  if (status !== 101 && status < 400) {
    response.socket.destroy();
    throw plainFailure(500, `invalid upgrade response: status code ${status}`);
  }
  exchange.onFinished(() => response.socket.destroy());
  if (exchange.signal.aborted) {
    response.socket.destroy();
    throw newInternalError(exchange.signal.reason);
  }
  return response;
}

/** Headers of a refusal that belong to the connection to the backend. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade'],
]);

/** A backend's refusal as a response. Throws a StatusError for an upgrade. */
async function refusal({ responseHeaders }: Exchange, response: BackendUpgradeResponse): Promise<ApiResponse> {
  const { status, headers } = response.head;
  if (status === 101) {
    response.socket.destroy();
    throw plainFailure(500, `invalid upgrade response: status code ${status}`);
  }
  const body = decodedBody(response, await readResponseBody(response));
  for (const [name, values] of headers) {
    if (!OF_CONNECTION.has(name)) responseHeaders.set(name, values);
  }
  return { type: 'bytes', status, body };
}

/** Sends the backend's refusal to the client and ends its connection. */
export async function echo({ socket }: UpgradeSocket, response: BackendUpgradeResponse): Promise<void> {
  const body = await readResponseBody(response);
  socket.write(response.head.raw);
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.end(body, () => socket.destroy());
  });
}
