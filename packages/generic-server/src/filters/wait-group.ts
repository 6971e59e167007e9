import { Buffer } from 'node:buffer';
import { newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Filter } from '@apiserver/apiserver-contracts';
import type { RequestGroup } from '../lifecycle/request-group.js';
import type { LongRunningCheck } from '../request/long-running.js';
import { isExemptFromRetryAfter } from './retry-after.js';

/** The counts of the filter, and its classes of requests. */
export interface WaitGroupOptions {
  readonly group: RequestGroup;
  readonly longRunning: LongRunningCheck;
}

/**
 * Counts requests in flight, so that shutdown can wait for them. Rejects requests that arrive after that.
 * Upstream: k8s.io/apiserver/pkg/server/filters/waitgroup.go
 */
export function waitGroup({ group, longRunning }: WaitGroupOptions): Filter {
  return {
    name: 'waitGroup',
    wrap: (next) => (exchange) => {
      if (longRunning(exchange) || group.enter(exchange) || isExemptFromRetryAfter(exchange)) return next(exchange);
      return shuttingDown(exchange);
    },
  };
}

/**
 * Collects the long-running requests, so that shutdown can end them. Rejects requests that arrive after that.
 * Upstream: k8s.io/apiserver/pkg/server/filters/watch_termination.go
 */
export function watchTermination({ group, longRunning }: WaitGroupOptions): Filter {
  return {
    name: 'watchTermination',
    wrap: (next) => (exchange) => {
      if (!longRunning(exchange) || group.enter(exchange)) return next(exchange);
      return shuttingDown(exchange);
    },
  };
}

function shuttingDown({ responseHeaders }: Exchange): ApiResponse {
  responseHeaders.set('retry-after', '1');
  responseHeaders.set('content-type', 'application/json');
  responseHeaders.set('x-content-type-options', 'nosniff');
  const { status } = newServiceUnavailable('apiserver is shutting down');
  return { type: 'bytes', status: 503, body: Buffer.from(`${JSON.stringify(status)}\n`) };
}
