import type { Socket } from 'node:net';

/**
 * A server that the suite talks to. It answers, whatever the method:
 * - `/small` with `smallBody`, as soon as it is asked, with its length; it reads no body
 * - `/echo` with what it is sent, as it comes
 * - `/large` with `largeBody`, no faster than the client takes it
 * - `/endless` with `tick` every few milliseconds, for as long as anybody listens
 * - `/hang` never, and reads nothing of what it is sent
 * - anything else with a 404 without a body
 */
export interface Http2Fixture extends AsyncDisposable {
  /** A connection on which the client may begin to speak HTTP/2: over TLS its protocol is agreed on. */
  connect(): Promise<Socket>;
  /** Requests handed over and not yet over; undefined: it cannot be seen from here. */
  readonly openRequests?: () => number;
}

export const smallBody = 'small\n';
export const tick = 'tick\n';
export const tickMilliseconds = 5;
const LARGE_BYTES = 20_000_000;

/** Bytes each of which differs from its neighbours. */
export function patternedBytes(length: number): Buffer {
  const pattern = Uint8Array.from({ length: 251 }, (_, index) => (index * 31) % 251);
  return Buffer.alloc(length, pattern);
}

let large: Buffer | undefined;

/** The response of `/large`: 20 MB. */
export function largeBody(): Buffer {
  large ??= patternedBytes(LARGE_BYTES);
  return large;
}

/** Resolves when the socket is connected. */
export function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
