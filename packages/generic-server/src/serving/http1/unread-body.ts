import type { IncomingMessage, ServerResponse } from 'node:http';

/** Bytes of a body that nobody wants, up to which the connection is kept for its sake. Upstream: maxPostHandlerReadBytes in net/http */
const maxRest = 256 * 1024;

/**
 * Milliseconds that a client has to read an answer when bytes of its own are not read any more: a connection closed on those is
 * reset, and the answer may be lost. Upstream: net/http.rstAvoidanceDelay
 */
export const lingerTime = 500;

/** Whether what may still come of a body is not worth keeping the connection for. */
export function isRestTooLarge(message: IncomingMessage): boolean {
  return !message.complete && Number(message.headers['content-length'] ?? 0) >= maxRest;
}

/** Reads away what still comes of a body when the answer has left; too much of it ends the connection. */
export function readRestAway(message: IncomingMessage, response: ServerResponse): void {
  response.prependOnceListener('finish', () => {
    if (message.complete || message.destroyed) return;
    let left = maxRest;
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left >= 0) return;
      message.off('data', onData).pause();
      message.socket.end();
      setTimeout(() => message.destroy(), lingerTime).unref();
    };
    message.on('data', onData);
    // What somebody has read from, Node, whose turn is next, leaves to them: else it would read everything away and count nothing.
    message._read(0);
    message.resume();
  });
}

/** Whether a body follows, which may be empty. */
export function hasBody(message: IncomingMessage): boolean {
  const length = message.headers['content-length'];
  return message.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
}
