/** Upstream: net/http.DefaultMaxHeaderBytes, and what http2.serverConn.maxHeaderListSize adds for ten fields */
export const maxHeaderListSize = 1024 * 1024 + 320;

/**
 * Bytes that hold most objects: the largest frame of a client, and what a client may send of a body that nobody has read.
 * Upstream: secure_serving.go, resourceBody99Percentile
 */
export const bodyBytes = 256 * 1024;

/** Upstream: RFC 9113, section 6.9.1 */
const largestWindow = 2 ** 31 - 1;

/** The window for all bodies of a connection: as much as its streams have together. Upstream: secure_serving.go */
export function connectionWindowOf(maxConcurrentStreams: number): number {
  return Math.min(bodyBytes * maxConcurrentStreams, largestWindow);
}
