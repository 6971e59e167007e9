import { Buffer } from 'node:buffer';
import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { acceptWebSocket, type HandshakeRefusal, handshakeRefusal, refuseHandshake } from './accept-web-socket.js';
import { sendMessage, webSocketClosed } from './send-message.js';
import { offeredProtocols } from './web-socket-request.js';

/** By subprotocol, the function that encodes a message. Upstream: wsstream.NewDefaultReaderProtocols */
const PROTOCOLS: Readonly<Record<string, (chunk: Uint8Array) => Uint8Array | string>> = {
  '': (chunk) => chunk,
  'binary.k8s.io': (chunk) => chunk,
  'base64.binary.k8s.io': (chunk) => Buffer.from(chunk).toString('base64'),
};

/**
 * Sends a byte stream as the messages of a WebSocket, first an empty one. The client's messages are ignored; the
 * stream ends when it disconnects.
 * Upstream: wsstream.Reader in k8s.io/apimachinery/pkg/util/httpstream/wsstream/stream.go
 */
export function streamOverWebSocket(exchange: Exchange, content: AsyncIterable<Uint8Array>): ApiResponse {
  const { request } = exchange;
  const offered = offeredProtocols(request);
  const protocol = offered.length === 0 ? '' : offered.find((candidate) => Object.hasOwn(PROTOCOLS, candidate));
  const notSupported: HandshakeRefusal = { status: 403, text: '' };
  const refusal = handshakeRefusal(request) ?? (protocol === undefined ? notSupported : undefined);
  if (refusal !== undefined) {
    return { type: 'upgrade', status: refusal.status, run: (connection) => refuseHandshake(connection, refusal) };
  }
  return {
    type: 'upgrade',
    run: async (connection) => {
      const webSocket = await acceptWebSocket(request, connection, protocol ?? '');
      const closed = webSocketClosed(webSocket);
      const encode = PROTOCOLS[protocol ?? ''] ?? ((chunk) => chunk);
      try {
        await sendMessage(webSocket, encode(new Uint8Array()));
        await untilClosed(content, closed, (chunk) => sendMessage(webSocket, encode(chunk)));
      } catch {
        // The client or the backend failed; the WebSocket ends in both cases.
      }
      webSocket.close(1000);
      await closed;
    },
  };
}

/** Yields chunks until the end, or until the client has disconnected. */
async function untilClosed(
  content: AsyncIterable<Uint8Array>,
  closed: Promise<void>,
  send: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const chunks = content[Symbol.asyncIterator]();
  const gone = closed.then(() => undefined);
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), gone]);
      if (next === undefined || next.done) return;
      await send(next.value);
    }
  } finally {
    // Not awaited: it returns after the pending read, which ends with the exchange.
    chunks.return?.().catch(() => {});
  }
}
