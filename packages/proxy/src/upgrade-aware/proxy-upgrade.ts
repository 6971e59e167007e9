import { newInternalError, plainFailure } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, UpgradeSocket } from '@apiserver/apiserver-contracts';
import type { BackendLocation, BackendTransport } from '../backend/backend.js';
import { forwardedHeaders } from './forwarded-headers.js';
import { joinSockets } from './join-sockets.js';
import {
  type BackendUpgradeRequest,
  type BackendUpgradeResponse,
  openUpgrade,
  UpgradeFailure,
} from './open-upgrade.js';
import { readResponseBody } from './response-body.js';

/**
 * Proxies an upgrade. The client's connection is handed over only after the backend's 101. A refusal of the backend
 * is forwarded; any other response (such as a redirect) is an error.
 * Upstream: tryUpgrade in k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go
 */
export async function proxyUpgrade(
  exchange: Exchange,
  location: BackendLocation,
  transport: BackendTransport,
): Promise<ApiResponse> {
  const { request } = exchange;
  const asked: BackendUpgradeRequest = {
    method: request.method,
    host: request.host,
    headers: forwardedHeaders(request),
  };
  const answer = await requestUpgrade(exchange, location, transport, asked);
  if (answer.head.status !== 101)
    return { type: 'upgrade', status: answer.head.status, run: (client) => echo(client, answer) };
  return {
    type: 'upgrade',
    run: async ({ socket, head }) => {
      socket.write(answer.head.raw);
      if (answer.rest.length > 0) socket.write(answer.rest);
      if (head.length > 0) answer.socket.write(head);
      await joinSockets(socket, answer.socket, exchange.signal);
    },
  };
}

/**
 * Requests an upgrade and returns the response: a 101, or a refusal of at least 400. Throws a StatusError for any
 * other response. Destroys the socket if the client disconnects before it is handed over.
 */
export async function requestUpgrade(
  exchange: Exchange,
  location: BackendLocation,
  transport: BackendTransport,
  asked: BackendUpgradeRequest,
): Promise<BackendUpgradeResponse> {
  let answer: BackendUpgradeResponse;
  try {
    answer = await openUpgrade(location, transport, asked, exchange.signal);
  } catch (error) {
    throw error instanceof UpgradeFailure ? plainFailure(500, error.message) : error;
  }
  const { status } = answer.head;
  if (status !== 101 && status < 400) {
    answer.socket.destroy();
    throw plainFailure(500, `invalid upgrade response: status code ${status}`);
  }
  exchange.onFinished(() => answer.socket.destroy());
  if (exchange.signal.aborted) {
    answer.socket.destroy();
    throw newInternalError(exchange.signal.reason);
  }
  return answer;
}

/** Sends the backend's refusal to the client and ends its connection. */
export async function echo({ socket }: UpgradeSocket, answer: BackendUpgradeResponse): Promise<void> {
  const body = await readResponseBody(answer);
  socket.write(answer.head.raw);
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.end(body, () => socket.destroy());
  });
}
