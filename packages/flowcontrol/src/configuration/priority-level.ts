import type { PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { SliceFlow, SliceShare } from '@apiserver/apimachinery/clock';
import { type Flow, FlowHands } from '../classification/flow-hands.js';
import { type LevelLimits, maxSeatsPerRequest } from '../concurrency/level-limits.js';
import { SeatDemand } from '../concurrency/seat-demand.js';
import { Integrator } from '../fair-queuing/integrator.js';
import { QueueSet, type QueueSetOptions } from '../fair-queuing/queue-set.js';
import { NO_LIMITS, NO_QUEUES, type QueuingConfig } from '../fair-queuing/queue-set-config.js';
import type { FlowCounters } from '../metrics/flow-counters.js';
import type { FlowMetrics } from '../metrics/flow-metrics.js';
import type { LevelGauges } from '../metrics/level-gauges.js';

/** Small levels reserve no seats: there, a seat is a limit that an administrator wants. */
const RESERVED_SHARE = 0.1;

/** Dependencies of a priority level. */
export interface PriorityLevelOptions extends Pick<QueueSetOptions, 'turns' | 'now' | 'after' | 'idle'> {
  readonly metrics: FlowMetrics;
  /** The seats of the server. Upstream flags: --max-requests-inflight plus --max-mutating-requests-inflight */
  readonly seats: number;
  /** Share of the seats of a level with queues that is for flows with few requests. Default 0.1; upstream has none. */
  readonly reservedShare?: number | undefined;
}

/** The state of one priority level. */
export class PriorityLevel {
  readonly name: string;
  readonly queueSet: QueueSet;
  readonly demand = new SeatDemand();
  /** The object, or a mandatory one that has none. */
  config: PriorityLevelConfiguration;
  #limits: LevelLimits = { nominal: 0, min: 0, max: 0 };
  /** Stays if the level loses its queues. Upstream: MaxSeatsTracker */
  #maxSeats = 0;
  #isLimited = false;
  currentLimit = 0;
  /** Its object was deleted; requests of it are still here. */
  isQuiescing = false;
  /** Undefined if the level has no queues. */
  hands: FlowHands | undefined;
  /** Of all its flows. */
  readonly #share = new SliceShare(this);
  /** The only flow of a level without queues. */
  readonly #wholeFlow: Flow = { hand: [], slices: new SliceFlow(this.#share) };
  readonly #integrator: Integrator;
  readonly #metrics: FlowMetrics;
  readonly #counters = new Map<string, FlowCounters>();
  readonly #now: () => number;
  readonly #seats: number;
  readonly #reservedShare: number;
  readonly #seatDemand: LevelGauges['seatDemand'];
  #denominator = 1;

  constructor(config: PriorityLevelConfiguration, options: PriorityLevelOptions) {
    const { metrics, now } = options;
    this.name = config.metadata.name ?? '';
    this.config = config;
    this.#metrics = metrics;
    this.#now = now;
    this.#seats = options.seats;
    this.#reservedShare = options.reservedShare ?? RESERVED_SHARE;
    this.#integrator = new Integrator(now());
    const gauges = metrics.level(this.name);
    this.#seatDemand = gauges.seatDemand;
    const queueSet = { ...options, name: this.name, gauges, demand: this.#integrator };
    this.queueSet = new QueueSet(queueSet, queuingOf(config));
  }

  get isExempt(): boolean {
    return this.config.spec.type === 'Exempt';
  }

  /** The share of the responses of this level in the turns of the event loop. */
  get weight(): number {
    return this.isExempt ? this.#seats : this.queueSet.weight;
  }

  get limits(): LevelLimits {
    return this.#limits;
  }

  /**
   * The present limit of a new level is in the middle of what it may lend. Seats that cannot be divided leave it there.
   */
  set limits(limits: LevelLimits) {
    this.#limits = limits;
    if (!this.#isLimited) this.currentLimit = limits.nominal - Math.trunc((limits.nominal - limits.min) / 2);
    this.#isLimited = true;
    this.#maxSeats = maxSeatsPerRequest(this.config.spec, limits.nominal) ?? this.#maxSeats;
  }

  /** The most seats of one request; 0 for no such limit. */
  get maxSeats(): number {
    return this.#maxSeats;
  }

  counters(schema: string): FlowCounters {
    const known = this.#counters.get(schema);
    if (known !== undefined) return known;
    const made = this.#metrics.flow(this.name, schema);
    this.#counters.set(schema, made);
    return made;
  }

  flow(schema: string, distinguisher: string): Flow {
    return this.hands?.of(schema, distinguisher) ?? this.#wholeFlow;
  }

  /** Takes over the queues of a new configuration. The seats follow with `apply`. */
  reconfigure(config: PriorityLevelConfiguration): void {
    const before = queuingOf(this.config);
    const { queues, handSize } = queuingOf(config);
    this.config = config;
    const isSame = before.queues === queues && before.handSize === handSize;
    if (isSame && this.hands !== undefined) return;
    this.hands = queues > 0 ? new FlowHands(queues, handSize, this.#share) : undefined;
  }

  /** Ends a period of the measured demand. */
  measureDemand(): void {
    this.demand.update(this.#integrator.reset(this.#now()));
  }

  /** `denominator`: of ratios in metrics. */
  apply(limit: number, denominator: number): void {
    this.currentLimit = limit;
    if (denominator !== this.#denominator) this.#seatDemand.setDenominator(denominator, this.#now());
    this.#denominator = denominator;
    const dispatching = {
      concurrencyLimit: limit,
      concurrencyDenominator: denominator,
      reserve: this.hands === undefined ? 0 : Math.floor(limit * this.#reservedShare),
    };
    this.queueSet.configure(queuingOf(this.config), dispatching);
  }
}

function queuingOf({ spec: { limited } }: PriorityLevelConfiguration): QueuingConfig {
  if (limited === undefined) return NO_LIMITS;
  const { queuing } = limited.limitResponse;
  if (queuing === undefined) return NO_QUEUES;
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  return { queues, handSize, queueLengthLimit };
}
