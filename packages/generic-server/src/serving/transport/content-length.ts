/**
 * The Content-Length of an answer that is there in one piece, in bytes; undefined where it has none. Without a body it is
 * 0, unless the status never comes with one or only the head was asked for.
 *
 * Upstream: chunkWriter.writeHeader in Go's net/http
 */
export function contentLengthOf(status: number, body: Uint8Array | undefined, isHead: boolean): number | undefined {
  if (status < 200 || status === 204 || status === 304) return undefined;
  return body?.length ?? (isHead ? undefined : 0);
}
