import { Buffer } from 'node:buffer';
import { Deadlines } from '@apiserver/apimachinery/clock';
import { newTimeout } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Filter, Handler, Logger } from '@apiserver/apiserver-contracts';
import type { PostTimeoutObserver } from '@apiserver/endpoints-installer';
import { HeaderMap } from '../serving/transport/header-map.js';

/** Dependencies of the timeout filter besides the deadline in the context. */
export interface TimeoutOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly logger: Logger;
  /** Called for every request that timed out before its response began. */
  readonly onTimeout?: (exchange: Exchange) => void;
  /** Called for every request whose response had begun when it ran out of time. */
  readonly onAbort?: (exchange: Exchange) => void;
  /** Called when the handler of a request has ended that timed out before its response began. */
  readonly afterTimeout?: PostTimeoutObserver;
}

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
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

function race(
  next: Handler,
  exchange: Exchange,
  { options, deadlines, deadline }: Race,
): Promise<ApiResponse> | ApiResponse {
  const left = deadline - options.now();
  if (left <= 0) return neverBegun(exchange, options);
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
      const { method, path } = exchange.request;
      response.then(
        () => options.afterTimeout?.('timeout-handler', 'ok'),
        (error: unknown) => {
          options.afterTimeout?.('timeout-handler', 'panic');
          options.logger.error(error, 'Timeout or abort while handling', { method, path });
        },
      );
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

/** The time of a request is over already. Upstream begins its work, which then fails. */
function neverBegun(exchange: Exchange, { onTimeout }: TimeoutOptions): ApiResponse {
  onTimeout?.(exchange);
  return timedOut(exchange);
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
