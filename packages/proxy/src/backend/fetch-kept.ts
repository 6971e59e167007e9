import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { BackendLocation, BackendTransport } from './backend.js';
import { closedConnection } from './broken-connection.js';
import { type BackendRequest, fetchBackend } from './fetch-backend.js';

/** A request that can be sent again. */
export interface KeptRequest extends Omit<BackendRequest, 'body'> {
  readonly bytes?: Uint8Array | undefined;
}

/**
 * Sends a request. A backend may close a kept connection when a request for it is on its way. Such a request gets
 * another connection: if it changes nothing, or if none of it was sent. A request on a new connection is not repeated.
 * Upstream: shouldRetryRequest of Go's http.Transport
 */
export async function fetchKept(
  location: BackendLocation,
  transport: BackendTransport,
  request: KeptRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (!isReplayable(request)) await closedConnectionsSeen();
  return fetchAgain(location, transport, request, signal);
}

/** Is `fetchKept` for a caller that has awaited `closedConnectionsSeen`. */
export async function fetchAgain(
  location: BackendLocation,
  transport: BackendTransport,
  { bytes, ...request }: KeptRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const replayable = isReplayable(request);
  for (;;) {
    try {
      return await fetchBackend(location, transport, { ...request, body: bytes }, signal);
    } catch (error) {
      const progress = closedConnection(error);
      const mayRepeat = progress === 'unwritten' || (progress === 'unanswered' && replayable);
      if (signal.aborted || !mayRepeat) throw error;
    }
  }
}

/**
 * Waits until the event loop has polled: connections that a backend has closed meanwhile are no longer kept. Upstream's
 * client reads its idle connections in goroutines of their own.
 */
export async function closedConnectionsSeen(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

const REPLAYABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const IDEMPOTENCY_KEY = /^(?:x-)?idempotency-key$/i;

/** True if a server may get the request twice. Upstream: isReplayable of Go's net/http */
function isReplayable({ method, headers }: KeptRequest): boolean {
  return REPLAYABLE.has(method) || Object.keys(headers).some((name) => IDEMPOTENCY_KEY.test(name));
}
