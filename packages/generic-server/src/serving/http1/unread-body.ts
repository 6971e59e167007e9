import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Largest rest of an unwanted body, in bytes, that is read to keep the connection. Upstream: maxPostHandlerReadBytes in
 * net/http
 */
const MAX_REST = 256 * 1024;

/**
 * Time for a client to read a response while its own bytes are unread. Closing a socket with unread
 * bytes resets the connection, and the response may be lost. Upstream: net/http.rstAvoidanceDelay
 */
export const LINGER_MS = 500;

/** True when the rest of a body is too large to keep the connection for. */
export function isRestTooLarge(message: IncomingMessage): boolean {
  return !message.complete && Number(message.headers['content-length'] ?? 0) >= MAX_REST;
}

/** Discards the rest of a body after the response. Too large a rest ends the connection. */
export function readRestAway(message: IncomingMessage, response: ServerResponse): void {
  response.prependOnceListener('finish', () => {
    if (message.complete || message.destroyed) return;
    let left = MAX_REST;
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left >= 0) return;
      message.off('data', onData).pause();
      message.socket.end();
      setTimeout(() => message.destroy(), LINGER_MS).unref();
    };
    message.on('data', onData);
    // Marks the message as read: otherwise Node's own listener would discard the rest without counting it.
    message._read(0);
    message.resume();
  });
}

/** True when a body follows, which may be empty. */
export function hasBody(message: IncomingMessage): boolean {
  const length = message.headers['content-length'];
  return message.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
}
