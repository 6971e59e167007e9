import type { Series } from '@apiserver/component-base/metrics';

/** A gauge of a ratio whose denominator changes seldom. Times are milliseconds of the clock of durations. */
export interface RatioGauge {
  add(change: number, now: number): void;
  set(numerator: number, now: number): void;
  setDenominator(denominator: number, now: number): void;
}

/** The metrics of one priority level. */
export interface LevelGauges {
  readonly requestsWaiting: RatioGauge;
  readonly requestsExecuting: RatioGauge;
  readonly seatsExecuting: RatioGauge;
  readonly seatDemand: RatioGauge;
  readonly currentR: Series;
  readonly dispatchR: Series;
  readonly latestS: Series;
  readonly nextSMin: Series;
  readonly nextSMax: Series;
  readonly nextDiscountedSMin: Series;
  readonly nextDiscountedSMax: Series;
  readonly epochAdvances: Series;
}
