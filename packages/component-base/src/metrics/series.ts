import { UNEXPECTED } from './metric-settings.js';
import { NativeBuckets, type NativeHistogram } from './native-buckets.js';
import { type SummaryOptions, SummarySeries } from './summary-series.js';

/** One series of a counter or a gauge. Keep a reference: a change of `value` then needs no look-up. */
export interface Series {
  value: number;
}

/** One label set of a histogram. */
export class HistogramSeries {
  readonly #upperBounds: readonly number[];
  /** Observations per bucket, the last for those above all bounds; not cumulative. */
  readonly counts: number[];
  sum = 0;

  constructor(upperBounds: readonly number[]) {
    this.#upperBounds = upperBounds;
    this.counts = new Array<number>(upperBounds.length + 1).fill(0);
  }

  /** `times`: how many observations have this value. */
  observe(value: number, times = 1): void {
    let bucket = 0;
    while (bucket < this.#upperBounds.length && value > (this.#upperBounds[bucket] ?? 0)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + times;
    this.sum += value * times;
  }
}

/** The same with the buckets of a native histogram. A class of its own costs other histograms nothing. */
class NativeHistogramSeries extends HistogramSeries {
  readonly native = new NativeBuckets();

  override observe(value: number, times = 1): void {
    super.observe(value, times);
    this.native.observe(value, times);
  }
}

/** A value of a metric as the registry collects it. */
export interface Sample {
  readonly value: number;
  /** Samples of one label set best share their object. */
  readonly labels: Readonly<Record<string, string | number>>;
  /**
   * Upper bound of a bucket, or a quantile. As in prom-client's samples, it may instead be the label `le` or
   * `quantile`.
   */
  readonly bound?: number;
  readonly metricName?: string;
  /** Of the sample with the count: the native form of the histogram. */
  readonly native?: NativeHistogram;
}

/** Name, help and labels of a metric. */
export interface MetricDescription<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

/** A metric as the registry collects it. */
export interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  samples(): Sample[];
}

/** The label values of a metric, by name. */
export type Labels<L extends string> = Readonly<Record<L, string>>;

/** Label values come from requests: series beyond any realistic number of kinds are not kept. */
const MAX_SERIES = 50_000;

/** A series and its labels. */
interface LabelledSeries<L extends string, S> {
  readonly labels: Labels<L>;
  readonly series: S;
}

/** The series of one metric by their labels. */
export abstract class Family<L extends string = string, S = unknown> {
  readonly name: string;
  readonly help: string;
  readonly #labelNames: readonly L[];
  readonly #series = new Map<string, LabelledSeries<L, S>>();
  /** The series of the last look-up: one client asks for the same labels again and again. */
  #last: LabelledSeries<L, S> | undefined = undefined;
  #constraint: ((labels: Labels<L>) => Labels<L>) | undefined = undefined;

  constructor({ name, help, labels }: MetricDescription<L>) {
    this.name = name;
    this.help = help;
    this.#labelNames = labels;
  }

  /**
   * The series of these labels, made on first use; beyond the maximum a detached one. Keep the result: a look-up costs
   * more than a count.
   */
  with(given: Labels<L>): S {
    const labels = this.#constraint === undefined ? given : this.#constraint(given);
    if (this.#last !== undefined && this.#areSame(this.#last.labels, labels)) return this.#last.series;
    const key = this.#keyOf(labels);
    const known = this.#series.get(key);
    if (known !== undefined) {
      this.#last = known;
      return known.series;
    }
    const series = this.make();
    if (this.#series.size < MAX_SERIES) this.#series.set(key, { labels, series });
    return series;
  }

  /** Removes the series of these labels; holders of it then count without effect. */
  remove(labels: Labels<L>): void {
    this.#series.delete(this.#keyOf(labels));
    this.#last = undefined;
  }

  /** Replaces label values that are not allowed, in series that are made from now on. */
  constrain(allowed: ReadonlyMap<string, ReadonlySet<string>>, replaced: () => void): void {
    this.#constraint = (labels) => {
      const constrained: Record<L, string> = { ...labels };
      for (const name of this.#labelNames) {
        if (allowed.get(name)?.has(labels[name]) ?? true) continue;
        constrained[name] = UNEXPECTED;
        replaced();
      }
      return constrained;
    };
  }

  /** Sets all series to zero. Holders of a series keep it. */
  reset(): void {
    for (const { series } of this.#series.values()) this.clear(series);
  }

  protected abstract clear(series: S): void;

  #areSame(one: Labels<L>, other: Labels<L>): boolean {
    for (const name of this.#labelNames) if (one[name] !== other[name]) return false;
    return true;
  }

  #keyOf(labels: Labels<L>): string {
    return this.#labelNames.map((name) => labels[name]).join('\u0000');
  }

  protected abstract make(): S;

  protected all(): Iterable<{ readonly labels: Labels<L>; readonly series: S }> {
    return this.#series.values();
  }
}

/** Counters or gauges of one name. */
export class ValueFamily<L extends string> extends Family<L, Series> implements CollectedMetric {
  readonly type: 'counter' | 'gauge';

  constructor(type: 'counter' | 'gauge', description: MetricDescription<L>) {
    super(description);
    this.type = type;
  }

  samples(): Sample[] {
    return [...this.all()].map(({ labels, series }) => ({ labels, value: series.value }));
  }

  protected make(): Series {
    return { value: 0 };
  }

  protected clear(series: Series): void {
    series.value = 0;
  }
}

/** Histograms of one name. */
export class HistogramFamily<L extends string> extends Family<L, HistogramSeries> implements CollectedMetric {
  readonly type = 'histogram';
  #upperBounds: readonly number[];
  #isNative = false;

  constructor(description: MetricDescription<L>, upperBounds: readonly number[]) {
    super(description);
    this.#upperBounds = upperBounds;
  }

  /** Series that are made from now on have a native form; `onlyNative`: and no other. */
  useNative(onlyNative: boolean): void {
    this.#isNative = true;
    if (onlyNative) this.#upperBounds = [];
  }

  samples(): Sample[] {
    return [...this.all()].flatMap(({ labels, series }) => this.#samplesOf(labels, series));
  }

  #samplesOf(labels: Labels<L>, series: HistogramSeries): Sample[] {
    const native = series instanceof NativeHistogramSeries ? { native: series.native.read() } : {};
    const metricName = `${this.name}_bucket`;
    let count = 0;
    const buckets = series.counts.map((inBucket, index) => {
      count += inBucket;
      return { metricName, labels, bound: this.#upperBounds[index] ?? Infinity, value: count };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: series.sum },
      { metricName: `${this.name}_count`, labels, value: count, ...native },
    ];
  }

  protected make(): HistogramSeries {
    return this.#isNative ? new NativeHistogramSeries(this.#upperBounds) : new HistogramSeries(this.#upperBounds);
  }

  protected clear(series: HistogramSeries): void {
    if (series instanceof NativeHistogramSeries) series.native.clear();
    series.counts.fill(0);
    series.sum = 0;
  }
}

/** Summaries of one name. */
export class SummaryFamily<L extends string> extends Family<L, SummarySeries> implements CollectedMetric {
  readonly type = 'summary';
  readonly #options: SummaryOptions;

  constructor(description: MetricDescription<L>, options: SummaryOptions) {
    super(description);
    this.#options = options;
  }

  samples(): Sample[] {
    return [...this.all()].flatMap(({ labels, series }) => this.#samplesOf(labels, series));
  }

  #samplesOf(labels: Labels<L>, series: SummarySeries): Sample[] {
    const { quantiles, now } = this.#options;
    const values = series.quantiles(quantiles, now());
    return [
      ...quantiles.map((bound, i) => ({ labels, bound, value: values[i] ?? Number.NaN })),
      { metricName: `${this.name}_sum`, labels, value: series.sum },
      { metricName: `${this.name}_count`, labels, value: series.count },
    ];
  }

  protected make(): SummarySeries {
    return new SummarySeries(this.#options.maxAge);
  }

  protected clear(series: SummarySeries): void {
    series.clear();
  }
}
