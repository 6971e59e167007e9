import type { Duplex } from 'node:stream';
import type { ResponseSender } from './response-sender.js';

/** Time for a client to read the last frames and close the connection, in milliseconds. Upstream: goAwayTimeout */
export const GOAWAY_MS = 1_000;
/** Time for a client to read the last responses before that. Upstream waits as long as the request may take. */
export const UNREAD_MS = 30_000;

/**
 * Ends a connection. Collected output is still sent, for at most `patience` milliseconds. Input is read and discarded,
 * because closing a socket with unread bytes discards its output.
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
