import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import { plainFailure } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, UpgradeSocket } from '@apiserver/apiserver-contracts';
import type { RawData, WebSocket } from 'ws';
import type { BackendLocation, BackendTransport } from '../backend/backend.js';
import { throttledFrom, throttledInto } from '../throttle/throttle.js';
import { forwardedHeaders } from '../upgrade-aware/forwarded-headers.js';
import type { BackendUpgradeRequest, BackendUpgradeResponse } from '../upgrade-aware/open-upgrade.js';
import { echo, requestUpgrade } from '../upgrade-aware/proxy-upgrade.js';
import { headerOf } from '../upgrade-aware/response-head.js';
import { acceptWebSocket, handshakeRefusal, refuseHandshake } from '../websocket/accept-web-socket.js';
import { sendMessage, webSocketClosed } from '../websocket/send-message.js';
import { TUNNELING_PREFIX, tunnelledProtocols } from '../websocket/web-socket-request.js';

/** The backend of a tunnel. */
export interface TunnelTarget {
  readonly location: BackendLocation;
  readonly transport: BackendTransport;
  /** Limits each direction; 0, the default, for no limit. */
  readonly maxBytesPerSec?: number;
  /** Receives the response code. */
  responded?(code: number): void;
}

/**
 * Accepts a WebSocket that tunnels SPDY, and connects it with the SPDY connection of a backend. The bytes are copied
 * unchanged.
 * Upstream: TunnelingHandler in k8s.io/apiserver/pkg/util/proxy/streamtunnel.go
 */
export async function tunnelStreams(
  exchange: Exchange,
  { location, transport, maxBytesPerSec, responded }: TunnelTarget,
): Promise<ApiResponse> {
  const { request } = exchange;
  const response = await requestUpgrade(exchange, location, transport, spdyRequest(exchange));
  if (response.head.status !== 101) {
    responded?.(response.head.status);
    return { type: 'upgrade', status: response.head.status, run: (client) => echo(client, response) };
  }
  const refusal = handshakeRefusal(request);
  if (refusal !== undefined) {
    response.socket.destroy();
    return { type: 'upgrade', status: refusal.status, run: (client) => refuseHandshake(client, refusal) };
  }
  if (!isSpdy(response)) {
    response.socket.destroy();
    responded?.(500);
    throw plainFailure(500, 'unable to upgrade: missing upgrade headers in response');
  }
  responded?.(101);
  return { type: 'upgrade', run: (client) => serve(exchange, client, response, maxBytesPerSec) };
}

/** Converts the client's request to a SPDY upgrade request. */
function spdyRequest(exchange: Exchange): BackendUpgradeRequest {
  const { request } = exchange;
  const headers = Object.entries(forwardedHeaders(exchange)).filter(
    ([name]) => !name.startsWith('Sec-Websocket-') && name !== 'Upgrade' && name !== 'X-Stream-Protocol-Version',
  );
  return {
    method: 'POST',
    host: request.host,
    headers: {
      ...Object.fromEntries(headers),
      'Content-Length': '0',
      Upgrade: 'SPDY/3.1',
      'X-Stream-Protocol-Version': tunnelledProtocols(request),
    },
  };
}

function isSpdy({ head }: BackendUpgradeResponse): boolean {
  return (
    headerOf(head, 'connection').toLowerCase().includes('upgrade') &&
    headerOf(head, 'upgrade').toLowerCase().includes('spdy/3.1')
  );
}

async function serve(
  exchange: Exchange,
  client: UpgradeSocket,
  { socket, head, rest }: BackendUpgradeResponse,
  maxBytesPerSec = 0,
): Promise<void> {
  const chosen = headerOf(head, 'x-stream-protocol-version');
  const webSocket = await acceptWebSocket(exchange.request, client, chosen === '' ? '' : TUNNELING_PREFIX + chosen);
  const closed = webSocketClosed(webSocket);
  const abort = () => webSocket.terminate();
  exchange.signal.addEventListener('abort', abort, { once: true });
  const backend = throttledInto(socket, maxBytesPerSec);
  socket.once('finish', () => socket.destroy());
  void closed.then(() => backend.end());
  toBackend(webSocket, backend);
  try {
    if (rest.length > 0) await sendMessage(webSocket, rest);
    for await (const chunk of throttledFrom(socket, maxBytesPerSec)) await sendMessage(webSocket, chunk);
  } catch {
    // One side failed; the other is closed below.
  }
  webSocket.close(1000);
  await closed;
  exchange.signal.removeEventListener('abort', abort);
}

/** Only binary messages carry data. */
function toBackend(webSocket: WebSocket, backend: Writable): void {
  backend.on('drain', () => webSocket.resume());
  // Further messages are dropped, so that the WebSocket closes.
  backend.once('close', () => webSocket.resume());
  webSocket.on('message', (data: RawData, isBinary: boolean) => {
    if (!isBinary || !backend.writable) return;
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
    if (!backend.write(bytes)) webSocket.pause();
  });
}
