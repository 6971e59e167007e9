import type { Duplex } from 'node:stream';
import type { ResponseSender } from './response-sender.js';

/** Milliseconds that a client has to read the last frames and close the connection. Upstream: goAwayTimeout */
export const GOAWAY_MS = 1_000;
/** Milliseconds that it has before those to take the last answers. Upstream waits as long as the request may take. */
export const UNREAD_MS = 30_000;

/**
 * Ends a connection: what was gathered is still sent, for `patience` milliseconds at most, and what still comes read away, since
 * a socket closed on unread bytes loses what it has sent.
 */
export function endSocket(socket: Duplex, sender: ResponseSender, patience: number): void {
  const close = () => socket.destroy();
  const unread = setTimeout(close, patience).unref();
  sender.finish(() => {
    clearTimeout(unread);
    setTimeout(close, GOAWAY_MS).unref();
  });
  socket.resume();
}
