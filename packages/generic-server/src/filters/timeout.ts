import { Buffer } from 'node:buffer';
import { Deadlines } from '@apiserver/apimachinery/clock';
import { isStatusError, newTimeout } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Filter, Handler, Logger } from '@apiserver/apiserver-contracts';
import type { PostTimeoutObserver } from '@apiserver/endpoints-installer';
import { HeaderMap } from '../serving/transport/header-map.js';

/** Dependencies of the timeout filter besides the deadline in the context. */
export interface TimeoutOptions {
  readonly logger: Logger;
  /** Called for every request that timed out before its response began. */
  readonly onTimeout?: (exchange: Exchange) => void;
  /** Called for every request whose response had begun when it ran out of time. */
  readonly onAbort?: (exchange: Exchange) => void;
  /** Called when the handler of a request has ended that timed out before its response began. */
  readonly afterTimeout?: PostTimeoutObserver;
}

/** Milliseconds. No request takes less time than one; sums of times are not exact. */
const MIN_TIMEOUT_MS = 0.9995;

/** Requests whose time was over before they began. */
const begunLate = new WeakSet<Exchange>();

/** `signal.reason` of an exchange that ran out of time. */
class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Returns 504 if a request has no response by its deadline; a response that has begun is aborted instead, so that it
 * does not seem complete. Pending work is notified by `exchange.signal`.
 * Upstream: k8s.io/apiserver/pkg/server/filters/timeout.go
 */
export function timeout(options: TimeoutOptions): Filter {
  const deadlines = new Deadlines();
  return {
    name: 'timeout',
    wrap: (next) => (exchange) => {
      const { deadline } = exchange.context;
      return deadline === undefined ? next(exchange) : race(next, exchange, { options, deadlines, deadline });
    },
  };
}

interface Race {
  readonly options: TimeoutOptions;
  readonly deadlines: Deadlines;
  /** By `performance.now()`. */
  readonly deadline: number;
}

function race(
  next: Handler,
  exchange: Exchange,
  { options, deadlines, deadline }: Race,
): Promise<ApiResponse> | ApiResponse {
  const left = deadline - performance.now();
  if (left <= 0 || deadline - exchange.context.startedAt < MIN_TIMEOUT_MS) return beginLate(next, exchange, options);
  // Headers of inner handlers do not belong to the 504.
  const outerHeaders = exchange.responseHeaders instanceof HeaderMap ? exchange.responseHeaders.snapshot() : undefined;
  let hasResponded = false;
  let timeOut: ((response: ApiResponse) => void) | undefined;
  const end = deadlines.add(left, () => {
    exchange.abort(new DeadlineExceeded('context deadline exceeded'));
    if (hasResponded) {
      options.onAbort?.(exchange);
      return;
    }
    const { responseHeaders } = exchange;
    if (outerHeaders !== undefined && responseHeaders instanceof HeaderMap) responseHeaders.restore(outerHeaders);
    options.onTimeout?.(exchange);
    timeOut?.(timedOut(exchange));
    // The abort has resumed the handler, which runs before the head is sent.
    if (responseHeaders instanceof HeaderMap) responseHeaders.giveHandlerUp();
  });
  exchange.onFinished(() => deadlines.clear(end));
  const response = next(exchange);
  if (!(response instanceof Promise)) {
    hasResponded = true;
    return response;
  }
  return new Promise((resolve, reject) => {
    timeOut = (late) => {
      resolve(late);
      reportEnd(response, exchange, options);
    };
    response.then(
      (value) => {
        hasResponded = true;
        resolve(value);
      },
      (error: unknown) => {
        hasResponded = true;
        reject(error);
      },
    );
  });
}

/**
 * The time of a request is over already. Its filters run, so that it is audited, and `overdue` ends it before its
 * handler. The client does not wait for them.
 */
function beginLate(next: Handler, exchange: Exchange, options: TimeoutOptions): ApiResponse {
  const { responseHeaders } = exchange;
  const outerHeaders = responseHeaders instanceof HeaderMap ? responseHeaders.snapshot() : undefined;
  exchange.abort(new DeadlineExceeded('context deadline exceeded'));
  begunLate.add(exchange);
  reportEnd(
    Promise.try(() => next(exchange)),
    exchange,
    options,
  );
  if (outerHeaders !== undefined && responseHeaders instanceof HeaderMap) responseHeaders.restore(outerHeaders);
  options.onTimeout?.(exchange);
  const response = timedOut(exchange);
  if (responseHeaders instanceof HeaderMap) responseHeaders.giveHandlerUp();
  return response;
}

/** Reports the end of a handler whose request has timed out. */
function reportEnd(response: Promise<ApiResponse>, exchange: Exchange, { afterTimeout, logger }: TimeoutOptions): void {
  response.then(
    () => afterTimeout?.('timeout-handler', 'ok'),
    (error: unknown) => {
      if (isStatusError(error)) return afterTimeout?.('timeout-handler', 'ok');
      afterTimeout?.('timeout-handler', 'panic');
      const { method, path } = exchange.request;
      logger.error(error, 'Timeout or abort while handling', { method, path });
    },
  );
}

/**
 * The innermost filter: ends a request whose time was over on arrival. Its handler would do work that has no reader.
 */
export function overdue(): Filter {
  return {
    name: 'overdue',
    wrap: (next) => (exchange) => {
      if (!begunLate.has(exchange)) return next(exchange);
      throw newTimeout('request did not complete within requested timeout - context deadline exceeded', 0);
    },
  };
}

/** Upstream writes this Status without kind, and lets its content type be guessed. */
function timedOut({ responseHeaders }: Exchange): ApiResponse {
  const {
    kind: _kind,
    apiVersion: _apiVersion,
    ...status
  } = newTimeout('request did not complete within the allotted timeout', 0).status;
  responseHeaders.set('content-type', 'text/plain; charset=utf-8');
  return { type: 'bytes', status: 504, body: Buffer.from(`${JSON.stringify(status)}\n`) };
}
