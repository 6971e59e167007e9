import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { type Clock, Deadlines } from '@apiserver/apimachinery/clock';
import type { Exchange, Logger, RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { Flow } from '../classification/flow-hands.js';
import { WatchTracker } from '../estimation/watch-tracker.js';
import { type ObjectStatsSource, WorkEstimator } from '../estimation/work-estimator.js';
import type { RequestDetails, SeatRequest } from '../fair-queuing/request-queue.js';
import { maxSeatsOf, type WorkEstimate } from '../fair-queuing/work-estimate.js';
import { FlowMetrics } from '../metrics/flow-metrics.js';
import { BodyTurns } from '../turns/body-turns.js';
import { type EventLoop, Turns } from '../turns/turns.js';
import { FlowConfiguration, type StatusChange, type UsedFlowSchema } from './flow-configuration.js';
import type { PriorityLevel } from './priority-level.js';
import { RequestWork } from './request-work.js';

/** Dependencies of flow control. */
export interface FlowControlOptions {
  /** The seats of the server; positive. */
  readonly seats: number;
  /** Of durations: it cannot be set. */
  readonly clock: Clock;
  readonly loop: EventLoop;
  readonly metrics: MetricsRegistry;
  readonly logger: Logger;
  /** See WorkEstimatorOptions. */
  readonly bySize: boolean;
  /** See WorkEstimatorOptions. */
  readonly watchLists?: boolean;
  /** See PriorityLevelOptions. */
  readonly reservedShare?: number;
}

/** A request with its flow. */
export interface ClassifiedRequest {
  readonly schema: UsedFlowSchema;
  readonly distinguisher: string;
  readonly estimate: WorkEstimate;
  readonly flow: Flow;
}

/** A request on its way, as the estimates and dumps need it. */
export interface FlowRequest {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly user: UserInfo;
}

/** Priority and fairness of one server. Upstream: k8s.io/apiserver/pkg/util/flowcontrol.Interface */
export class FlowControl {
  readonly watches = new WatchTracker();
  readonly metrics: FlowMetrics;
  readonly turns: Turns;
  readonly bodies: BodyTurns;
  readonly now = (): number => this.#clock.now();
  readonly #clock: Clock;
  readonly #configuration: FlowConfiguration;
  readonly #estimator: WorkEstimator;
  readonly #deadlines: Deadlines;
  #stats: ObjectStatsSource = () => undefined;
  #drained: () => void = () => {};
  #isQuiescing = false;
  #works = 0;

  constructor(options: FlowControlOptions) {
    const { seats, clock, loop, metrics, logger, bySize, watchLists = true, reservedShare } = options;
    this.#clock = clock;
    this.#deadlines = new Deadlines(clock);
    this.metrics = new FlowMetrics(metrics, this.now);
    this.turns = new Turns(loop);
    this.bodies = new BodyTurns(this.turns, this.now);
    this.#configuration = new FlowConfiguration({
      seats,
      reservedShare,
      logger,
      metrics: this.metrics,
      turns: this.turns,
      now: this.now,
      after: (milliseconds, callback) => void this.#deadlines.add(milliseconds, callback),
      idle: () => this.#idle(),
    });
    const stats: ObjectStatsSource = (group, resource) => this.#stats(group, resource);
    this.#estimator = new WorkEstimator({ stats, watches: this.watches, bySize, watchLists });
  }

  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#configuration.levels;
  }

  /** Sets the source of the numbers of objects, which exists later than the filters. */
  useStats(stats: ObjectStatsSource): void {
    this.#stats = stats;
  }

  /** `drained`: called when a deleted level has no request any more; then call this again. */
  configure(
    levels: readonly PriorityLevelConfiguration[],
    schemas: readonly FlowSchema[],
    drained: () => void,
  ): readonly StatusChange[] {
    this.#drained = drained;
    const changes = this.#configuration.digest(levels, schemas);
    this.#isQuiescing = [...this.levels.values()].some(({ isQuiescing }) => isQuiescing);
    return changes;
  }

  /** Call it every ten seconds. */
  adjust(): void {
    this.#configuration.adjust();
  }

  classify({ exchange, info, user }: FlowRequest): ClassifiedRequest {
    const schema = this.#configuration.classify(info, user);
    const { level, counters } = schema;
    const observer = { watchers: (count: number) => counters.watchCount.observe(count) };
    const estimate = this.#estimator.estimate(exchange, info, level.maxSeats, observer);
    counters.estimatedSeats.observe(maxSeatsOf(estimate));
    const distinguisher = distinguisherOf(schema, info, user);
    return { schema, distinguisher, estimate, flow: level.flow(schema.name, distinguisher) };
  }

  /** Undefined: rejected. */
  start(
    { schema, distinguisher, estimate, flow }: ClassifiedRequest,
    { info, user }: FlowRequest,
  ): SeatRequest | undefined {
    const { level, counters, name } = schema;
    const { hand } = flow;
    const details = () => detailsOf(info, user);
    return level.queueSet.start({ estimate, schema: name, distinguisher, hand, counters, details, now: this.now() });
  }

  /** The work of a request that executes. */
  workOf({ flow, schema }: ClassifiedRequest, seat: SeatRequest): RequestWork {
    return new RequestWork(flow.slices, this.#works++, schema.level.queueSet, seat);
  }

  /** Calls back after that many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void {
    const deadline = this.#deadlines.add(Math.max(0, milliseconds), callback);
    return () => this.#deadlines.clear(deadline);
  }

  /** Called for nearly every request of a server with little to do. */
  #idle(): void {
    if (!this.#isQuiescing) return;
    for (const level of this.levels.values()) {
      if (level.isQuiescing && level.queueSet.isIdle) this.#drained();
    }
  }
}

/** Upstream: computeFlowDistinguisher, which is called only for levels with more than one queue */
function distinguisherOf({ distinguisher, level }: UsedFlowSchema, info: RequestInfo, user: UserInfo): string {
  if (distinguisher === undefined || (level.config.spec.limited?.limitResponse.queuing?.queues ?? 0) <= 1) return '';
  return distinguisher === 'ByUser' ? user.name : info.namespace;
}

function detailsOf(info: RequestInfo, { name: userName }: UserInfo): RequestDetails {
  const { verb, path, namespace, name, apiGroup, apiVersion, resource, subresource } = info;
  return { userName, verb, path, namespace, name, apiGroup, apiVersion, resource, subresource };
}
