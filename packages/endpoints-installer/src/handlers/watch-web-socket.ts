import { parseRequestUrl } from '@apiserver/apimachinery/values';
import type { ApiResponse, Exchange, ResponseWriter } from '@apiserver/apiserver-contracts';
import {
  acceptWebSocket,
  type HandshakeRefusal,
  handshakeRefusal,
  isWebSocketRequest,
  offeredProtocols,
  refuseHandshake,
  sendMessage,
  webSocketClosed,
} from '@apiserver/proxy';
import { type ServedWatch, serveWatch } from './watch-server.js';

/** Dependencies of a watch besides the connection. */
export type WebSocketWatch = Omit<ServedWatch, 'writer' | 'signal'>;

type AcceptedWebSocket = Awaited<ReturnType<typeof acceptWebSocket>>;

/**
 * Responds on a WebSocket with the events of a watch, each a message: text for JSON, else bytes without a length
 * prefix. Messages of the client are ignored. Undefined if it is not a valid WebSocket request.
 * Upstream: WatchServer.HandleWS in k8s.io/apiserver/pkg/endpoints/handlers/watch.go
 */
export function watchOverWebSocket(exchange: Exchange, watch: WebSocketWatch): ApiResponse | undefined {
  const { request } = exchange;
  if (!isWebSocketRequest(request)) return undefined;
  const offered = offeredProtocols(request);
  // Upstream's library selects no protocol if the client offers several.
  const several: HandshakeRefusal | undefined = offered.length > 1 ? { status: 400, text: '' } : undefined;
  const refusal = handshakeRefusal(request) ?? originRefusal(exchange) ?? several;
  if (refusal !== undefined) {
    return { type: 'upgrade', status: refusal.status, run: (connection) => refuseHandshake(connection, refusal) };
  }
  return {
    type: 'upgrade',
    run: async (connection) => {
      const webSocket = await acceptWebSocket(request, connection, offered[0] ?? '');
      const closed = webSocketClosed(webSocket);
      const gone = new AbortController();
      void closed.then(() => gone.abort());
      const signal = AbortSignal.any([gone.signal, exchange.signal]);
      webSocket.resume();
      await serveWatch({ ...watch, writer: messageWriter(webSocket, watch), signal });
      webSocket.close(1000);
      await closed;
    },
  };
}

/**
 * Rejects a request without an origin, or with one that is not a URI (a browser's "null"), like upstream's library.
 * Upstream: checkOrigin in golang.org/x/net/websocket/server.go
 */
function originRefusal({ request }: Exchange): HandshakeRefusal | undefined {
  try {
    parseRequestUrl(request.headers.get('origin') ?? '');
    return undefined;
  } catch {
    return { status: 403, text: '' };
  }
}

function messageWriter(webSocket: AcceptedWebSocket, { frames }: WebSocketWatch): ResponseWriter {
  let sent = Promise.resolve();
  return {
    write: (frame) => {
      const message = frames.isText ? Buffer.from(frame).toString() : frame.subarray(frames.lengthBytes);
      sent = sendMessage(webSocket, message).catch(() => {});
    },
    get bufferedBytes() {
      return webSocket.bufferedAmount;
    },
    drained: () => sent,
    get closed() {
      return webSocket.readyState !== webSocket.OPEN;
    },
  };
}
