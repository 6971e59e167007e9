import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BackendLocation, BackendTransport } from './backend.js';
import { isClosedConnection } from './broken-connection.js';
import { type BackendRequest, fetchBackend } from './fetch-backend.js';

/** Requests on kept connections that the backend had closed, before the failure counts. */
const MAX_STALE_CONNECTIONS = 3;

/** A request that can be sent again. */
export interface KeptRequest extends Omit<BackendRequest, 'body'> {
  readonly bytes?: Uint8Array | undefined;
}

/**
 * Sends a request. A backend may close a kept connection when a request for it is on its way. Such a request gets
 * another connection.
 * Upstream: shouldRetryRequest of Go's http.Transport
 */
export async function fetchKept(
  location: BackendLocation,
  transport: BackendTransport,
  { bytes, ...request }: KeptRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  for (let stale = 0; ; stale++) {
    const body = bytes && Readable.from([bytes]);
    try {
      return await fetchBackend(location, transport, { ...request, body }, signal);
    } catch (error) {
      if (signal.aborted || stale >= MAX_STALE_CONNECTIONS || !isClosedConnection(error)) throw error;
    }
  }
}
