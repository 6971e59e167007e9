/**
 * The Content-Length of a response in one piece, in bytes; undefined: it has none. It is 0 without a body, unless the
 * status forbids a body or the request is HEAD.
 *
 * Upstream: chunkWriter.writeHeader in Go's net/http
 */
export function contentLengthOf(status: number, body: Uint8Array | undefined, isHead: boolean): number | undefined {
  if (status < 200 || status === 204 || status === 304) return undefined;
  return body?.length ?? (isHead ? undefined : 0);
}
