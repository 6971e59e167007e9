/** Upstream: net/http.DefaultMaxHeaderBytes, and what http2.serverConn.maxHeaderListSize adds for ten fields */
export const maxHeaderListSize = 1024 * 1024 + 320;

/**
 * Size that fits most objects. It limits the frames of a client and the unread part of a body.
 * Upstream: secure_serving.go, resourceBody99Percentile
 */
export const BODY_BYTES = 256 * 1024;

/** Upstream: RFC 9113, section 6.9.1 */
const LARGEST_WINDOW = 2 ** 31 - 1;

/** The window of a connection: the sum of the windows of its streams. Upstream: secure_serving.go */
export function connectionWindowOf(maxConcurrentStreams: number): number {
  return Math.min(BODY_BYTES * maxConcurrentStreams, LARGEST_WINDOW);
}
