import type { HistogramFamily, MetricsRegistry, ValueFamily } from '@apiserver/component-base/metrics';

const LEVEL = ['priority_level'] as const;
const FLOW = ['priority_level', 'flow_schema'] as const;
const DURATIONS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/** The labels of series of a level. */
export type LevelLabel = (typeof LEVEL)[number];
/** The labels of series of a flow schema at a level. */
export type FlowLabel = (typeof FLOW)[number];

const PREFIX = 'apiserver_flowcontrol_';

/** Registers the families. Upstream: k8s.io/apiserver/pkg/util/flowcontrol/metrics/metrics.go */
export class MetricFamilies {
  readonly #registry: MetricsRegistry;
  readonly rejected: ValueFamily<FlowLabel | 'reason'>;
  readonly dispatched: ValueFamily<FlowLabel>;
  readonly noAccommodation: ValueFamily<FlowLabel>;
  readonly epochAdvances: ValueFamily<LevelLabel | 'success'>;
  readonly queueLength: HistogramFamily<FlowLabel>;
  readonly waitSeconds: HistogramFamily<FlowLabel | 'execute'>;
  readonly executionSeconds: HistogramFamily<FlowLabel | 'type'>;
  readonly watchCount: HistogramFamily<FlowLabel>;
  readonly estimatedSeats: HistogramFamily<FlowLabel>;
  readonly inQueueRequests: ValueFamily<FlowLabel>;
  readonly inQueueSeats: ValueFamily<FlowLabel>;
  readonly executingRequests: ValueFamily<FlowLabel>;
  readonly executingSeats: ValueFamily<FlowLabel>;
  readonly fairFraction: ValueFamily<never>;
  readonly nextS: ValueFamily<LevelLabel | 'bound'>;
  readonly nextDiscountedS: ValueFamily<LevelLabel | 'bound'>;

  constructor(registry: MetricsRegistry) {
    this.#registry = registry;
    this.rejected = this.#counter('rejected_requests_total', 'Rejected requests, by reason.', [...FLOW, 'reason']);
    this.dispatched = this.#counter('dispatched_requests_total', 'Requests that began to execute.', FLOW);
    this.noAccommodation = this.#counter(
      'request_dispatch_no_accommodation_total',
      'Attempts to dispatch a request that found too few free seats.',
      FLOW,
    );
    this.epochAdvances = this.#counter('epoch_advance_total', 'Times that a progress meter was wound back.', [
      ...LEVEL,
      'success',
    ]);
    const lengths = [0, 10, 25, 50, 100, 250, 500, 1000];
    this.queueLength = this.#histogram(
      'request_queue_length_after_enqueue',
      'Length of the queue that a request joined.',
      FLOW,
      lengths,
    );
    this.waitSeconds = this.#histogram(
      'request_wait_duration_seconds',
      'Time that a request waited in its queue.',
      [...FLOW, 'execute'],
      DURATIONS,
    );
    this.executionSeconds = this.#histogram(
      'request_execution_seconds',
      'Time that a request executed; of a watch, until its first events were sent.',
      [...FLOW, 'type'],
      DURATIONS,
    );
    this.watchCount = this.#histogram(
      'watch_count_samples',
      'Watchers that a write concerns.',
      FLOW,
      [0, 1, 10, 100, 1000, 10_000],
    );
    this.estimatedSeats = this.#histogram(
      'work_estimated_seats',
      'Seats that a request was expected to need.',
      FLOW,
      [1, 2, 4, 8, 16, 32, 64, 100],
    );
    this.inQueueRequests = this.#gauge('current_inqueue_requests', 'Requests that wait in queues.', FLOW);
    this.inQueueSeats = this.#gauge('current_inqueue_seats', 'Seats of the requests that wait in queues.', FLOW);
    this.executingRequests = this.#gauge('current_executing_requests', 'Requests that execute.', FLOW);
    this.executingSeats = this.#gauge('current_executing_seats', 'Seats of the requests that execute.', FLOW);
    this.#alias('request_concurrency_in_use', 'The same as current_executing_seats.', this.executingSeats);
    this.fairFraction = this.#gauge('seat_fair_frac', 'Fraction of its target that a level gets.', []);
    this.nextS = this.#gauge('next_s_bounds', 'Least and greatest start of the oldest waiting requests.', [
      ...LEVEL,
      'bound',
    ]);
    this.nextDiscountedS = this.#gauge('next_discounted_s_bounds', 'The same without the expected work in progress.', [
      ...LEVEL,
      'bound',
    ]);
  }

  /** A gauge with one value for each priority level. */
  levelGauge(name: string, help: string): ValueFamily<LevelLabel> {
    return this.#gauge(name, help, LEVEL);
  }

  /** A second name of a gauge. */
  alias(name: string, help: string, family: ValueFamily<LevelLabel>): void {
    this.#alias(name, help, family);
  }

  #alias(name: string, help: string, family: Pick<ValueFamily<never>, 'samples'>): void {
    this.#registry.collect({ name: `${PREFIX}${name}`, help, type: 'gauge', samples: () => family.samples() });
  }

  #counter<L extends string>(name: string, help: string, labels: readonly L[]): ValueFamily<L> {
    return this.#registry.counter({ name: `${PREFIX}${name}`, help, labels });
  }

  #gauge<L extends string>(name: string, help: string, labels: readonly L[]): ValueFamily<L> {
    return this.#registry.gauge({ name: `${PREFIX}${name}`, help, labels });
  }

  #histogram<L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    bounds: readonly number[],
  ): HistogramFamily<L> {
    return this.#registry.histogram({ name: `${PREFIX}${name}`, help, labels }, bounds);
  }
}
