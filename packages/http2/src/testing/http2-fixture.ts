import type { Socket } from 'node:net';

/**
 * A server for the suite. It responds to any method:
 * - `/small` with `smallBody` at once, with its length, without reading a body
 * - `/echo` with the body of the request, as it comes
 * - `/large` with `largeBody`, as fast as the client reads
 * - `/endless` with `tick` every few milliseconds, until the client leaves
 * - `/hang` never, without reading the body
 * - other paths with a 404 without a body
 */
export interface Http2Fixture extends AsyncDisposable {
  /** A connection that is ready for the client preface: over TLS, ALPN has chosen h2. */
  connect(): Promise<Socket>;
  /** Number of open requests; undefined if the fixture cannot tell. */
  readonly openRequests?: () => number;
}

/** The body of `/small`. */
export const smallBody = 'small\n';
/** The piece that `/endless` repeats. */
export const tick = 'tick\n';
/** The pause between two ticks. */
export const tickMilliseconds = 5;
const LARGE_BYTES = 20_000_000;

/** Bytes that differ from their neighbours. */
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
