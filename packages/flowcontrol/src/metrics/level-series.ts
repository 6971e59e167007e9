import type { Labels, Series, ValueFamily } from '@apiserver/component-base/metrics';
import type { LevelGauges, RatioGauge } from './level-gauges.js';
import type { LevelLabel, MetricFamilies } from './metric-families.js';

/** The families of the series that the first dispatch of a queued request makes. */
export interface DispatchFamilies extends Pick<MetricFamilies, 'nextS' | 'nextDiscountedS' | 'epochAdvances'> {
  readonly dispatchR: ValueFamily<LevelLabel>;
  readonly latestS: ValueFamily<LevelLabel>;
}

/** The series that a level has from the beginning. */
export type FirstSeries = Pick<
  LevelGauges,
  'requestsWaiting' | 'requestsExecuting' | 'seatsExecuting' | 'seatDemand' | 'currentR'
>;

/** The series of one priority level. Those of dispatches are made by the first one, as upstream shows them. */
export class LevelSeries implements LevelGauges {
  readonly requestsWaiting: RatioGauge;
  readonly requestsExecuting: RatioGauge;
  readonly seatsExecuting: RatioGauge;
  readonly seatDemand: RatioGauge;
  readonly currentR: Series;
  readonly #families: DispatchFamilies;
  readonly #labels: Labels<LevelLabel>;
  #dispatches: ReturnType<typeof dispatchSeries> | undefined = undefined;

  constructor(families: DispatchFamilies, labels: Labels<LevelLabel>, first: FirstSeries) {
    this.requestsWaiting = first.requestsWaiting;
    this.requestsExecuting = first.requestsExecuting;
    this.seatsExecuting = first.seatsExecuting;
    this.seatDemand = first.seatDemand;
    this.currentR = first.currentR;
    this.#families = families;
    this.#labels = labels;
  }

  get dispatchR(): Series {
    return this.#ofDispatches().dispatchR;
  }

  get latestS(): Series {
    return this.#ofDispatches().latestS;
  }

  get nextSMin(): Series {
    return this.#ofDispatches().nextSMin;
  }

  get nextSMax(): Series {
    return this.#ofDispatches().nextSMax;
  }

  get nextDiscountedSMin(): Series {
    return this.#ofDispatches().nextDiscountedSMin;
  }

  get nextDiscountedSMax(): Series {
    return this.#ofDispatches().nextDiscountedSMax;
  }

  get epochAdvances(): Series {
    return this.#families.epochAdvances.with({ ...this.#labels, success: 'true' });
  }

  #ofDispatches(): ReturnType<typeof dispatchSeries> {
    this.#dispatches ??= dispatchSeries(this.#families, this.#labels);
    return this.#dispatches;
  }
}

/** Upstream sets them together. Upstream: SetDispatchMetrics */
function dispatchSeries({ dispatchR, latestS, nextS, nextDiscountedS }: DispatchFamilies, labels: Labels<LevelLabel>) {
  return {
    dispatchR: dispatchR.with(labels),
    latestS: latestS.with(labels),
    nextSMin: nextS.with({ ...labels, bound: 'min' }),
    nextSMax: nextS.with({ ...labels, bound: 'max' }),
    nextDiscountedSMin: nextDiscountedS.with({ ...labels, bound: 'min' }),
    nextDiscountedSMax: nextDiscountedS.with({ ...labels, bound: 'max' }),
  };
}
