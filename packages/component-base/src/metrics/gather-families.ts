import { inSlices, sliceTurn } from '@apiserver/apimachinery/clock';
import type { Registry } from 'prom-client';
import type { NativeHistogram } from './native-buckets.js';
import type { CollectedMetric } from './series.js';

/** A metric with its values. */
export interface GatheredFamily {
  readonly name: string;
  readonly help: string;
  readonly type: CollectedMetric['type'];
  /** In order of the values of their labels. At least one. */
  readonly metrics: readonly GatheredMetric[];
}

/** The values of one label set. */
export interface GatheredMetric {
  /** In order of their names. */
  readonly labels: readonly GatheredLabel[];
  /** The value of a counter or a gauge; buckets or quantiles, sum and count of other types. */
  readonly samples: readonly GatheredSample[];
}

/** A label with its value. */
export interface GatheredLabel {
  readonly name: string;
  readonly value: string;
}

/** One number of a metric. */
export interface GatheredSample {
  /** The part behind the name of the family. */
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
  /** Upper bound of a bucket, or a quantile. */
  readonly bound?: number;
  readonly value: number;
  /** See Sample. */
  readonly native?: NativeHistogram;
}

/** The label that distinguishes the samples of one label set. */
export const BOUND_LABEL: Readonly<Record<GatheredFamily['type'], string | undefined>> = {
  counter: undefined,
  gauge: undefined,
  histogram: 'le',
  summary: 'quantile',
};

/**
 * Families in order of their names. Those without values are left out. They are collected in order of registration: the
 * metrics of the process set some of them while the first one is collected. Many series take turns of the event loop.
 *
 * Upstream: Gather and NormalizeMetricFamilies in github.com/prometheus/client_golang
 */
export async function gatherFamilies(registry: Registry): Promise<readonly GatheredFamily[]> {
  // Of several scrapes at a time, each is collected in a turn of its own.
  await sliceTurn();
  return inSlices(gatherSteps(await registry.getMetricsAsJSON()));
}

type Collected = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

function* gatherSteps(collected: Collected): Generator<void, readonly GatheredFamily[]> {
  const families: GatheredFamily[] = [];
  for (const { name, help, type: given, values } of collected) {
    // Its declared type is an enumeration of numbers.
    const type = String(given);
    if (values.length === 0 || !isType(type)) continue;
    families.push({ name, help, type, metrics: yield* metricsOf(name, type, values) });
  }
  return families.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isType(type: string): type is GatheredFamily['type'] {
  return type in BOUND_LABEL;
}

/** A sample of this package, or one of prom-client's own metrics. */
interface Value {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly bound?: number;
  readonly metricName?: string;
  readonly native?: NativeHistogram;
}

const SUFFIXES = ['_bucket', '_sum', '_count'] as const;

/** The samples of one label set, while it is gathered. */
interface Growing {
  readonly labels: readonly GatheredLabel[];
  readonly samples: GatheredSample[];
}

function* metricsOf(
  family: string,
  type: GatheredFamily['type'],
  values: readonly Value[],
): Generator<void, readonly GatheredMetric[]> {
  const metrics = new Metrics(BOUND_LABEL[type]);
  const suffixes = new Map<string, GatheredSample['suffix']>(SUFFIXES.map((suffix) => [family + suffix, suffix]));
  for (const { labels, metricName = family, bound, value, native } of values) {
    const suffix = suffixes.get(metricName) ?? '';
    metrics.of(labels).push({
      suffix,
      ...boundOf(bound ?? labels[BOUND_LABEL[type] ?? '']),
      value,
      ...(native && { native }),
    });
    yield;
  }
  return metrics.sorted();
}

function boundOf(bound: string | number | undefined): Pick<GatheredSample, 'bound'> {
  return bound === undefined ? {} : { bound: bound === '+Inf' ? Infinity : Number(bound) };
}

/** The samples of a family by their labels. Neighbours often share the object of their labels. */
class Metrics {
  readonly #boundLabel: string | undefined;
  readonly #metrics = new Map<string, Growing>();
  #last: { readonly given: Value['labels']; readonly samples: GatheredSample[] } | undefined = undefined;

  /** `boundLabel` distinguishes samples of one label set. */
  constructor(boundLabel: string | undefined) {
    this.#boundLabel = boundLabel;
  }

  of(given: Value['labels']): GatheredSample[] {
    if (this.#last?.given === given) return this.#last.samples;
    const labels = sortedLabels(given, this.#boundLabel);
    const key = labels.map((label) => label.value).join('\u0000');
    const metric = this.#metrics.get(key) ?? { labels, samples: [] };
    this.#metrics.set(key, metric);
    this.#last = { given, samples: metric.samples };
    return metric.samples;
  }

  sorted(): readonly GatheredMetric[] {
    return [...this.#metrics.values()].sort((a, b) => compareLabels(a.labels, b.labels));
  }
}

function sortedLabels(labels: Value['labels'], boundLabel: string | undefined): readonly GatheredLabel[] {
  const out: GatheredLabel[] = [];
  for (const name of Object.keys(labels).sort()) {
    if (name !== boundLabel) out.push({ name, value: String(labels[name]) });
  }
  return out;
}

function compareLabels(a: readonly GatheredLabel[], b: readonly GatheredLabel[]): number {
  if (a.length !== b.length) return a.length - b.length;
  for (const [i, { value }] of a.entries()) {
    const other = b[i]?.value ?? '';
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
