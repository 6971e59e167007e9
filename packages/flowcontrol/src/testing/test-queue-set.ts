import { ManualClock } from '@apiserver/apimachinery/testing';
import { Integrator } from '../fair-queuing/integrator.js';
import { QueueSet, type QueueSetOptions } from '../fair-queuing/queue-set.js';
import type { QueuingConfig } from '../fair-queuing/queue-set-config.js';
import type { Arrival, SeatRequest } from '../fair-queuing/request-queue.js';
import type { WorkEstimate } from '../fair-queuing/work-estimate.js';
import { dealHand } from '../shuffle-sharding/dealer.js';
import { quietMetrics } from './quiet-metrics.js';

/** A queue set under a clock of the test, with names for requests. */
export class TestQueueSet {
  readonly clock = new ManualClock(0);
  readonly queueSet: QueueSet;
  readonly requests = new Map<string, SeatRequest>();
  readonly idle: number[] = [];
  readonly #metrics = quietMetrics(() => this.clock.now());
  readonly gauges = this.#metrics.level('t');
  readonly #counters = this.#metrics.flow('t', 'fs');
  #queuing: QueuingConfig;

  constructor(queuing: QueuingConfig, limit: number, turns: QueueSetOptions['turns'] = ALWAYS) {
    this.#queuing = queuing;
    const { clock } = this;
    this.queueSet = new QueueSet(
      {
        name: 't',
        gauges: this.gauges,
        demand: new Integrator(clock.now()),
        turns,
        now: () => clock.now(),
        after: (milliseconds, callback) => void clock.schedule(callback, milliseconds),
        idle: () => void this.idle.push(clock.now()),
      },
      queuing,
    );
    this.configure(queuing, limit);
  }

  get counters() {
    return this.#counters;
  }

  configure(queuing: QueuingConfig, limit: number, reserve = 0): void {
    this.#queuing = queuing;
    this.queueSet.configure(queuing, { concurrencyLimit: limit, concurrencyDenominator: Math.max(1, limit), reserve });
  }

  /** Returns false if the request is rejected. */
  arrive(name: string, hash: bigint, estimate: WorkEstimate): boolean {
    const { queues, handSize } = this.#queuing;
    const request = this.queueSet.start({
      estimate,
      schema: 'fs',
      distinguisher: name,
      hand: queues > 0 ? dealHand(hash, queues, handSize) : [],
      counters: this.#counters,
      details: NO_DETAILS,
      now: this.clock.now(),
    });
    if (request !== undefined) this.requests.set(name, request);
    return request !== undefined;
  }

  finish(name: string): void {
    const request = this.requests.get(name);
    if (request !== undefined) this.queueSet.finish(request);
  }

  cancel(name: string): void {
    const request = this.requests.get(name);
    if (request !== undefined) this.queueSet.cancel(request);
  }

  named(state: SeatRequest['state']): string[] {
    return [...this.requests].filter(([, request]) => request.state === state).map(([name]) => name);
  }
}

const ALWAYS: QueueSetOptions['turns'] = { mayStart: () => true, mayPrecede: () => true, waitToStart: () => {} };

const NO_DETAILS: Arrival['details'] = () => ({
  userName: '',
  verb: '',
  path: '',
  namespace: '',
  name: '',
  apiGroup: '',
  apiVersion: '',
  resource: '',
  subresource: '',
});
