import {
  HistogramFamily,
  type HistogramSeries,
  type Labels,
  type MetricsRegistry,
} from '@apiserver/component-base/metrics';
import type { RatioGauge } from './level-gauges.js';

const NANOSECONDS = 1e6;

/** Name, help and labels of a histogram. */
interface Description<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

/**
 * Gauges of ratios, exposed as a histogram of the ratio at the end of every nanosecond.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/metrics/timing_ratio_histogram.go
 */
export class TimingRatioHistograms<L extends string> {
  readonly #family: HistogramFamily<L>;
  readonly #gauges = new Map<HistogramSeries, TimedRatio>();
  readonly #now: () => number;

  /** `now`: milliseconds of the clock of durations. */
  constructor(registry: MetricsRegistry, description: Description<L>, bounds: readonly number[], now: () => number) {
    this.#family = new HistogramFamily(description, bounds);
    this.#now = now;
    const { name, help } = description;
    registry.collect({ name, help, type: 'histogram', samples: () => this.#samples() });
  }

  /** The same gauge for the same labels: a level may be deleted and made again. */
  gauge(labels: Labels<L>): RatioGauge {
    const series = this.#family.with(labels);
    const known = this.#gauges.get(series);
    if (known !== undefined) return known;
    const made = new TimedRatio(series, this.#now());
    this.#gauges.set(series, made);
    return made;
  }

  #samples(): ReturnType<HistogramFamily<L>['samples']> {
    const now = this.#now();
    for (const gauge of this.#gauges.values()) gauge.observe(now);
    return this.#family.samples();
  }
}

class TimedRatio implements RatioGauge {
  readonly #series: HistogramSeries;
  #lastTime: number;
  #numerator = 0;
  #denominator = 1;

  constructor(series: HistogramSeries, now: number) {
    this.#series = series;
    this.#lastTime = now;
  }

  add(change: number, now: number): void {
    this.set(this.#numerator + change, now);
  }

  set(numerator: number, now: number): void {
    this.observe(now);
    this.#numerator = numerator;
  }

  setDenominator(denominator: number, now: number): void {
    this.observe(now);
    this.#denominator = denominator;
  }

  /** Counts the ratio for the time since the last change. */
  observe(now: number): void {
    const times = Math.round((now - this.#lastTime) * NANOSECONDS);
    this.#lastTime = now;
    if (times > 0) this.#series.observe(this.#numerator / this.#denominator, times);
  }
}
