import {
  type ApiResponse,
  type Exchange,
  type Filter,
  isReadOnlyVerb,
  wellKnownGroups,
} from '@apiserver/apiserver-contracts';
import type { InFlightMetrics } from '../metrics/in-flight-metrics.js';
import type { LongRunningCheck } from '../request/long-running.js';
import { requestInfoOf } from '../request/request-info-of.js';
import { plainTextError } from '../serving/transport/plain-text.js';

/** Maximum number of concurrent requests; 0 for no limit. */
export interface MaxInFlightOptions {
  /** Upstream flag: --max-requests-inflight */
  readonly readOnly: number;
  /** Upstream flag: --max-mutating-requests-inflight */
  readonly mutating: number;
  readonly longRunning: LongRunningCheck;
  readonly metrics?: InFlightMetrics;
}

/**
 * Rejects requests with 429 while the maximum number of requests is in flight. Members of system:masters take a slot,
 * but do not need one. Long-running requests do not count. A slot is released when the handler returns, so slow readers
 * do not block others. Upstream keeps it until the response is written. A disconnect releases nothing, because the work
 * continues.
 * Upstream: k8s.io/apiserver/pkg/server/filters/maxinflight.go
 */
export function maxInFlight(options: MaxInFlightOptions): Filter {
  const slots = {
    readOnly: new Slots(options.readOnly, 'readOnly', options.metrics),
    mutating: new Slots(options.mutating, 'mutating', options.metrics),
  };
  return {
    name: 'maxInFlight',
    wrap: (next) => (exchange) => {
      const kind = isReadOnlyVerb(requestInfoOf(exchange).verb) ? 'readOnly' : 'mutating';
      if (options.longRunning(exchange)) return next(exchange);
      const place = slots[kind].enter(isExempt(exchange));
      if (place !== undefined) return within(place, () => next(exchange));
      options.metrics?.dropped(exchange);
      exchange.responseHeaders.set('retry-after', '1');
      return plainTextError(exchange, 429, 'Too many requests, please try again later.');
    },
  };
}

function isExempt(exchange: Exchange): boolean {
  return exchange.context.user?.groups.includes(wellKnownGroups.privileged) === true;
}

/** Runs a handler, and releases its slot when it has returned or failed. */
function within(place: Place, run: () => Promise<ApiResponse> | ApiResponse): Promise<ApiResponse> | ApiResponse {
  const leave = () => place.leave();
  let response: Promise<ApiResponse> | ApiResponse;
  try {
    response = run();
  } catch (error) {
    leave();
    throw error;
  }
  if (response instanceof Promise) response.then(leave, leave);
  else leave();
  return response;
}

/** The slot of a request. Call `leave` once. */
interface Place {
  leave(): void;
}

const uncounted: Place = { leave: () => {} };

class Slots {
  readonly #limit: number;
  readonly #kind: 'readOnly' | 'mutating';
  readonly #metrics: InFlightMetrics | undefined;
  #taken = 0;

  constructor(limit: number, kind: 'readOnly' | 'mutating', metrics: InFlightMetrics | undefined) {
    this.#limit = limit;
    this.#kind = kind;
    this.#metrics = metrics;
  }

  /** Undefined: there is no slot. */
  enter(isExempt: boolean): Place | undefined {
    if (this.#limit === 0) return uncounted;
    if (this.#taken >= this.#limit) return isExempt ? uncounted : undefined;
    this.#count(1);
    return { leave: () => this.#count(-1) };
  }

  #count(change: number): void {
    this.#taken += change;
    this.#metrics?.record(this.#kind, this.#taken);
  }
}
