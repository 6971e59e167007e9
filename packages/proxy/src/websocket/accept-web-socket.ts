import { Buffer } from 'node:buffer';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { ApiRequest, UpgradeSocket } from '@apiserver/apiserver-contracts';
import { type WebSocket, WebSocketServer } from 'ws';

/** Upstream: golang.org/x/net/websocket.DefaultMaxPayloadBytes */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** The refusal of a handshake, sent to the client without this server's headers. */
export interface HandshakeRefusal {
  readonly status: 400 | 403 | 405;
  readonly text: string;
}

/** The fault of a WebSocket handshake. Upstream: hybiServerHandshaker of golang.org/x/net/websocket */
export function handshakeRefusal({ method, headers }: ApiRequest): HandshakeRefusal | undefined {
  if (method !== 'GET') return { status: 405, text: 'bad method' };
  if ((headers.get('sec-websocket-key') ?? '') === '') return { status: 400, text: 'mismatch challenge/response' };
  if (headers.get('sec-websocket-version') !== '13') return { status: 400, text: 'missing or bad WebSocket Version' };
  return undefined;
}

const REASONS = { 400: 'Bad Request', 403: 'Forbidden', 405: 'Method Not Allowed' };

/** Refuses a handshake and ends the connection. */
export function refuseHandshake({ socket }: UpgradeSocket, { status, text }: HandshakeRefusal): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve);
    const version = text.includes('Version') ? 'Sec-WebSocket-Version: 13\r\n' : '';
    socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\n${version}\r\n${text}`, () => socket.destroy());
  });
}

/**
 * Accepts a valid handshake and makes a WebSocket of the connection. `protocol` is the selected subprotocol; "" for
 * none. Rejects if the client has disconnected.
 */
export function acceptWebSocket(
  request: ApiRequest,
  { socket, head }: UpgradeSocket,
  protocol: string,
): Promise<WebSocket> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    skipUTF8Validation: true,
  });
  // The library would reject SPDY/3.1+portforward.k8s.io, which is no valid token.
  if (protocol !== '') server.once('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  return new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error('the client closed the connection')));
    server.handleUpgrade(handshakeOf(request), socket, Buffer.from(head), (webSocket) => {
      // An error is always followed by 'close', which is handled.
      webSocket.on('error', () => {});
      resolve(webSocket);
    });
  });
}

/** The parts of a request that the library reads. */
function handshakeOf({ method, headers }: ApiRequest): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = method;
  message.headers = {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-key': headers.get('sec-websocket-key'),
    'sec-websocket-version': '13',
  };
  return message;
}
