import type { Exchange } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { RequestMetrics } from './request-metrics.js';

type Kind = 'readOnly' | 'mutating';

/**
 * The maximum number of requests in flight during the last second, by kind, and the number of rejected ones.
 * Upstream: k8s.io/apiserver/pkg/endpoints/metrics (apiserver_current_inflight_requests)
 */
export class InFlightMetrics {
  readonly #requests: RequestMetrics;
  readonly #watermarks = { readOnly: new Watermark(), mutating: new Watermark() };
  readonly #inQueue = { readOnly: new Watermark(), mutating: new Watermark() };

  constructor(registry: MetricsRegistry, requests: RequestMetrics) {
    this.#requests = requests;
    const help = (what: string) => `Most requests ${what} during the last second.`;
    collect(registry, 'apiserver_current_inflight_requests', help('in flight'), this.#watermarks);
    collect(registry, 'apiserver_current_inqueue_requests', help('in queues'), this.#inQueue);
  }

  record(kind: Kind, inFlight: number): void {
    this.#watermarks[kind].record(inFlight, performance.now());
  }

  /** Records the number of requests in the queues of priority and fairness. */
  recordInQueue(kind: Kind, inQueue: number): void {
    this.#inQueue[kind].record(inQueue, performance.now());
  }

  dropped(exchange: Exchange): void {
    this.#requests.dropped(exchange);
  }
}

function collect(
  registry: MetricsRegistry,
  name: string,
  help: string,
  watermarks: Readonly<Record<Kind, Watermark>>,
): void {
  const samples = () =>
    (['mutating', 'readOnly'] as const).map((kind) => ({
      labels: { request_kind: kind },
      value: watermarks[kind].lastSecond(performance.now()),
    }));
  registry.collect({ name, help, type: 'gauge', samples });
}

/** Keeps the maximum of this second and of the one before, without a timer. */
class Watermark {
  #current = 0;
  #maximum = 0;
  #before = 0;
  #second = 0;

  record(value: number, now: number): void {
    this.#turn(now);
    this.#current = value;
    if (value > this.#maximum) this.#maximum = value;
  }

  lastSecond(now: number): number {
    this.#turn(now);
    return Math.max(this.#before, this.#maximum);
  }

  #turn(now: number): void {
    const second = Math.floor(now / 1_000);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#maximum : this.#current;
    this.#maximum = this.#current;
    this.#second = second;
  }
}
