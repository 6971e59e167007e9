import type { MetricsRegistry, ValueFamily } from '@apiserver/component-base/metrics';
import type { LevelLimits } from '../concurrency/level-limits.js';
import type { SeatDemand } from '../concurrency/seat-demand.js';
import type { FlowCounters } from './flow-counters.js';
import { FlowSeries } from './flow-series.js';
import type { LevelGauges, RatioGauge } from './level-gauges.js';
import { LevelSeries } from './level-series.js';
import { MetricFamilies } from './metric-families.js';
import { TimingRatioHistograms } from './timing-ratio-histogram.js';

const PREFIX = 'apiserver_flowcontrol_';

/** A phase of a request. */
export type Phase = 'waiting' | 'executing';
/** Requests that only read, and others. */
export type RequestKind = 'readOnly' | 'mutating';

/** Names and help texts of the gauges with one value for each level. */
const LEVEL_GAUGES = {
  currentR: ['current_r', 'Progress at the last change.'],
  dispatchR: ['dispatch_r', 'Progress at the last dispatch.'],
  latestS: ['latest_s', 'Start of the request that was dispatched last.'],
  nominal: ['nominal_limit_seats', 'Configured number of seats.'],
  min: ['lower_limit_seats', 'Least number of seats.'],
  max: ['upper_limit_seats', 'Greatest number of seats.'],
  highWatermark: ['demand_seats_high_watermark', 'Most seats that were in demand during the last period.'],
  average: ['demand_seats_average', 'Average demand of the last period.'],
  deviation: ['demand_seats_stdev', 'Standard deviation of the demand of the last period.'],
  smoothed: ['demand_seats_smoothed', 'Smoothed demand.'],
  target: ['target_seats', 'Seats that a level would get if it alone wanted more.'],
  current: ['current_limit_seats', 'Present number of seats.'],
} as const;

type LevelGaugeName = keyof typeof LEVEL_GAUGES;

/** The metrics of priority and fairness. Registers all families; each may exist once in a registry. */
export class FlowMetrics {
  readonly #families: MetricFamilies;
  readonly #levels: Readonly<Record<LevelGaugeName, ValueFamily<'priority_level'>>>;
  readonly #seatUtilization: TimingRatioHistograms<'phase' | 'priority_level'>;
  readonly #requestUtilization: TimingRatioHistograms<'phase' | 'priority_level'>;
  readonly #demand: TimingRatioHistograms<'priority_level'>;
  /** Requests of all levels, in relation to all seats or queues. */
  readonly readWrite: Readonly<Record<Phase, Readonly<Record<RequestKind, RatioGauge>>>>;

  constructor(registry: MetricsRegistry, now: () => number) {
    this.#families = new MetricFamilies(registry);
    const gauge = (key: LevelGaugeName) => {
      const [name, help] = LEVEL_GAUGES[key];
      return this.#families.levelGauge(name, help);
    };
    this.#levels = {
      currentR: gauge('currentR'),
      dispatchR: gauge('dispatchR'),
      latestS: gauge('latestS'),
      nominal: gauge('nominal'),
      min: gauge('min'),
      max: gauge('max'),
      highWatermark: gauge('highWatermark'),
      average: gauge('average'),
      deviation: gauge('deviation'),
      smoothed: gauge('smoothed'),
      target: gauge('target'),
      current: gauge('current'),
    };
    this.#families.alias('request_concurrency_limit', 'The same as nominal_limit_seats.', this.#levels.nominal);
    const ratios = <L extends string>(name: string, help: string, labels: readonly L[], bounds: readonly number[]) =>
      new TimingRatioHistograms(registry, { name: `${PREFIX}${name}`, help, labels }, bounds, now);
    this.#seatUtilization = ratios(
      'priority_level_seat_utilization',
      'Seats in use, as a fraction of those of the level.',
      ['phase', 'priority_level'],
      [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
    );
    this.#requestUtilization = ratios(
      'priority_level_request_utilization',
      'Requests, as a fraction of the seats or of the room in queues.',
      ['phase', 'priority_level'],
      [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
    );
    this.#demand = ratios(
      'demand_seats',
      'Seats that a level could use, as a fraction of its present limit.',
      ['priority_level'],
      [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
    );
    const readWrite = ratios(
      'read_vs_write_current_requests',
      'Requests of all levels, as a fraction of all seats or of the room in all queues.',
      ['phase', 'request_kind'],
      [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
    );
    const kinds = (phase: Phase) => ({
      readOnly: readWrite.gauge({ phase, request_kind: 'readOnly' }),
      mutating: readWrite.gauge({ phase, request_kind: 'mutating' }),
    });
    this.readWrite = { waiting: kinds('waiting'), executing: kinds('executing') };
  }

  flow(level: string, schema: string): FlowCounters {
    return new FlowSeries(this.#families, { priority_level: level, flow_schema: schema });
  }

  level(name: string): LevelGauges {
    const labels = { priority_level: name };
    const { currentR, dispatchR, latestS } = this.#levels;
    const { nextS, nextDiscountedS, epochAdvances } = this.#families;
    const families = { dispatchR, latestS, nextS, nextDiscountedS, epochAdvances };
    return new LevelSeries(families, labels, {
      requestsWaiting: this.#requestUtilization.gauge({ ...labels, phase: 'waiting' }),
      requestsExecuting: this.#requestUtilization.gauge({ ...labels, phase: 'executing' }),
      seatsExecuting: this.#seatUtilization.gauge({ ...labels, phase: 'executing' }),
      seatDemand: this.#demand.gauge(labels),
      currentR: currentR.with(labels),
    });
  }

  configured(level: string, { nominal, min, max }: LevelLimits): void {
    this.#set(level, { nominal, min, max });
  }

  /** The result of an adjustment of the present limits. */
  adjusted(
    level: string,
    demand: SeatDemand,
    { target, current }: { readonly target: number; readonly current: number },
  ): void {
    const { highWatermark, average, deviation, smoothed } = demand;
    this.#set(level, { highWatermark, average, deviation, smoothed, target, current });
  }

  set fairFraction(value: number) {
    this.#families.fairFraction.with({}).value = value;
  }

  #set(level: string, values: Readonly<Partial<Record<string, number>>>): void {
    for (const [name, family] of Object.entries(this.#levels)) {
      const value = values[name];
      if (value !== undefined) family.with({ priority_level: level }).value = value;
    }
  }
}
