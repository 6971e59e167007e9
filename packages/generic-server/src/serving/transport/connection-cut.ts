const BRAND = Symbol.for('@apiserver/generic-server.ConnectionCut');

/**
 * Thrown by a handler, or by the body of its response, to break the connection instead of responding. The client of
 * HTTP/1 sees its connection closed, the client of HTTP/2 its stream reset, and a `fetch` without a socket rejects.
 * Throw it outside the filters, because panicRecovery makes a response of every error.
 */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut';

  constructor(message = 'the server cut the connection') {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Reports whether a thrown value is a ConnectionCut, of this copy of the package or another. */
export function isConnectionCut(error: unknown): error is ConnectionCut {
  return typeof error === 'object' && error !== null && BRAND in error;
}
