import { newInternalError, plainFailure } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, UpgradeSocket } from '@apiserver/apiserver-contracts';
import type { BackendLocation, BackendTransport } from '../backend/backend.js';
import { forwardedHeaders } from './forwarded-headers.js';
import { joinSockets } from './join-sockets.js';
import { openUpgrade, type UpgradeAnswer, type UpgradeAsked, UpgradeFailure } from './open-upgrade.js';
import { readResponseBody } from './response-body.js';

/**
 * Passes an upgrade on: the backend is asked first, and only with its 101 is the client's connection handed over. What a
 * backend refuses with is passed on as it is; anything else it answers (a redirect, say) is an error.
 * Upstream: tryUpgrade in k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go
 */
export async function proxyUpgrade(
  exchange: Exchange,
  location: BackendLocation,
  transport: BackendTransport,
): Promise<ApiResponse> {
  const { request } = exchange;
  const asked: UpgradeAsked = { method: request.method, host: request.host, headers: forwardedHeaders(request) };
  const answer = await askForUpgrade(exchange, location, transport, asked);
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
 * Asks for an upgrade and answers what the backend said: 101, or a refusal of at least 400. Throws a StatusError for
 * anything else. The socket goes when the client goes before it is handed over.
 */
export async function askForUpgrade(
  exchange: Exchange,
  location: BackendLocation,
  transport: BackendTransport,
  asked: UpgradeAsked,
): Promise<UpgradeAnswer> {
  let answer: UpgradeAnswer;
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

/** The client gets the backend's refusal, and its connection ends. */
export async function echo({ socket }: UpgradeSocket, answer: UpgradeAnswer): Promise<void> {
  const body = await readResponseBody(answer);
  socket.write(answer.head.raw);
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.end(body, () => socket.destroy());
  });
}
