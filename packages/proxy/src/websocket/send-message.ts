import type { WebSocket } from 'ws';

/** Sends one message. Resolves when the socket has accepted it, so that the caller adapts to the client's speed. */
export function sendMessage(webSocket: WebSocket, message: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (webSocket.readyState !== webSocket.OPEN) {
      reject(new Error('the client closed the connection'));
      return;
    }
    const options = { binary: typeof message !== 'string', compress: false };
    webSocket.send(message, options, (error) => (error ? reject(error) : resolve()));
  });
}

/** Resolves when a WebSocket has closed. */
export function webSocketClosed(webSocket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState === webSocket.CLOSED) resolve();
    else webSocket.once('close', () => resolve());
  });
}
