import type { HistogramFamily, MetricsRegistry, ValueFamily } from '@apiserver/component-base/metrics';

interface Description {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

type LabelValues = Readonly<Record<string, string>>;

/** The metrics of controllers. They last longer than a turn: a registry takes each name once. */
export class ControllerMetrics {
  readonly #registry: MetricsRegistry;
  readonly #counters = new Map<string, ValueFamily<string>>();
  readonly #histograms = new Map<string, HistogramFamily<string>>();

  constructor(registry: MetricsRegistry) {
    this.#registry = registry;
  }

  counter(metric: Description): (labels: LabelValues) => void {
    const family = this.#counters.get(metric.name) ?? this.#registry.counter(metric);
    this.#counters.set(metric.name, family);
    return (labels) => void family.with(labels).value++;
  }

  /** `bounds` ascending, in the unit of the name. */
  histogram(metric: Description, bounds: readonly number[]): (value: number, labels: LabelValues) => void {
    const family = this.#histograms.get(metric.name) ?? this.#registry.histogram(metric, bounds);
    this.#histograms.set(metric.name, family);
    return (value, labels) => family.with(labels).observe(value);
  }
}
