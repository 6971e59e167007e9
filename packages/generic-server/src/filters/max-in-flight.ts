import { type Filter, wellKnownGroups } from '@apiserver/apiserver-contracts';
import type { InFlightMetrics } from '../metrics/in-flight-metrics.js';
import { plainTextError } from '../serving/plain-text.js';
import type { LongRunningCheck } from './long-running.js';
import { requestInfoOf } from './request-info-of.js';

/** How many requests may be under way at once; 0 for no limit. */
export interface MaxInFlightOptions {
  /** Upstream flag: --max-requests-inflight */
  readonly readOnly: number;
  /** Upstream flag: --max-mutating-requests-inflight */
  readonly mutating: number;
  readonly longRunning: LongRunningCheck;
  readonly metrics?: InFlightMetrics;
}

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * Refuses with 429 what comes while as many requests as allowed are under way. Members of system:masters always get an
 * answer, and long-running requests do not count.
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
      const kind = readOnlyVerbs.has(requestInfoOf(exchange).verb) ? 'readOnly' : 'mutating';
      if (options.longRunning(exchange)) return next(exchange);
      const { limited } = slots[kind];
      if (!limited) return next(exchange);
      if (slots[kind].take()) {
        exchange.onFinished(() => slots[kind].release());
        return next(exchange);
      }
      if (exchange.context.user?.groups.includes(wellKnownGroups.privileged)) return next(exchange);
      options.metrics?.dropped(exchange);
      exchange.responseHeaders.set('retry-after', '1');
      return plainTextError(exchange, 429, 'Too many requests, please try again later.');
    },
  };
}

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

  get limited(): boolean {
    return this.#limit !== 0;
  }

  take(): boolean {
    if (this.#taken >= this.#limit) return false;
    this.#taken++;
    this.#metrics?.record(this.#kind, this.#taken);
    return true;
  }

  release(): void {
    this.#taken--;
    this.#metrics?.record(this.#kind, this.#taken);
  }
}
