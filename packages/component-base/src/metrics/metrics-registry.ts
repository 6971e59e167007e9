import { Memo } from '@apiserver/apimachinery/lazy';
import type { Registry } from 'prom-client';
import { API_LEVEL } from '../version/version-info.js';
import { type GatheredFamily, gatherFamilies } from './gather-families.js';
import { DEFAULT_METRIC_SETTINGS, HISTOGRAMS_WITHOUT_BOUNDS, type MetricSettings } from './metric-settings.js';
import { annotatedHelp, deprecatedSince, isHidden, type StabilityLevel, stabilityOf } from './metric-stability.js';
import { PROCESS_METRICS } from './process-metrics.js';
import {
  type CollectedMetric,
  Family,
  HistogramFamily,
  type MetricDescription,
  type Sample,
  type Series,
  SummaryFamily,
  ValueFamily,
} from './series.js';
import type { SummaryOptions } from './summary-series.js';
import { textExposition } from './text-exposition.js';

/** A metric, with or without values. */
export interface ShownMetric extends Pick<CollectedMetric, 'name' | 'type'> {
  readonly stability: StabilityLevel;
}

/** The metrics that a registry has from the start. Both are true by default. */
export interface MetricsRegistryOptions {
  readonly withProcess?: boolean;
  readonly withOwn?: boolean;
}

/**
 * The metrics of one server. Counting only touches plain numbers; prom-client, which collects them and adds those of
 * the process, is loaded on the first request.
 */
export class MetricsRegistry {
  /** Things that its users make once for it, such as the metrics that servers share. */
  readonly memo = new Memo();
  readonly #metrics = new Map<string, CollectedMetric>();
  readonly #hasProcessMetrics: boolean;
  #settings = DEFAULT_METRIC_SETTINGS;
  #registry: Registry | undefined = undefined;
  /** Label values that were replaced, because they are not allowed. */
  readonly #unexpected: Series;

  /** `withProcess`: false leaves out the metrics of Node's process; `withOwn`: false those of the registry itself. */
  constructor({ withProcess = true, withOwn = true }: MetricsRegistryOptions = {}) {
    this.#hasProcessMetrics = withProcess;
    const unexpected = new ValueFamily('counter', {
      name: 'cardinality_enforcement_unexpected_categorizations_total',
      help: 'Label values that are not allowed.',
      labels: [],
    });
    this.#unexpected = unexpected.with({});
    if (!withOwn) return;
    this.#add(unexpected);
    this.#addOwnMetrics();
  }

  /** Changes what is shown. Call it before the first series is made: labels of existing ones stay. */
  configure(settings: MetricSettings): void {
    this.#settings = settings;
    for (const metric of this.#metrics.values()) this.#constrain(metric);
  }

  /** Sets all counts to zero. Upstream: DELETE /metrics with --profiling */
  reset(): void {
    for (const metric of this.#metrics.values()) if (metric instanceof Family) metric.reset();
  }

  counter<L extends string>(description: MetricDescription<L>): ValueFamily<L> {
    return this.#add(new ValueFamily('counter', description));
  }

  gauge<L extends string>(description: MetricDescription<L>): ValueFamily<L> {
    return this.#add(new ValueFamily('gauge', description));
  }

  /** `upperBounds` ascending, in the unit of the name. */
  histogram<L extends string>(description: MetricDescription<L>, upperBounds: readonly number[]): HistogramFamily<L> {
    return this.#add(new HistogramFamily(description, upperBounds));
  }

  summary<L extends string>(description: MetricDescription<L>, options: SummaryOptions): SummaryFamily<L> {
    return this.#add(new SummaryFamily(description, options));
  }

  /** A metric that is computed on demand. Throws if the name is taken. */
  collect(metric: CollectedMetric): void {
    this.#add(metric);
  }

  /** The metrics that are shown as soon as they have values. */
  shown(): readonly ShownMetric[] {
    return [...this.#metrics.values()]
      .filter((metric) => this.#isShown(metric))
      .map(({ name, type }) => ({ name, type, stability: stabilityOf(name) }));
  }

  /** The metrics that are shown and have values, by name. */
  async gather(): Promise<readonly GatheredFamily[]> {
    const { default: client } = await import('prom-client');
    this.#registry ??= this.#makeRegistry(client);
    return gatherFamilies(this.#registry);
  }

  /** All metrics in the text format. */
  async expose(): Promise<{ readonly text: string }> {
    return { text: await textExposition(await this.gather()) };
  }

  #add<M extends CollectedMetric>(metric: M): M {
    if (this.#metrics.has(metric.name)) throw new Error(`the metric ${metric.name} is registered already`);
    this.#metrics.set(metric.name, metric);
    this.#constrain(metric);
    if (this.#registry !== undefined && this.#isShown(metric)) register(this.#registry, metric);
    return metric;
  }

  #constrain(metric: CollectedMetric): void {
    if (this.#settings.nativeHistograms === true && metric instanceof HistogramFamily) {
      metric.useNative(HISTOGRAMS_WITHOUT_BOUNDS.has(metric.name));
    }
    const allowed = this.#settings.allowedValues.get(metric.name);
    if (allowed === undefined || !(metric instanceof Family)) return;
    metric.constrain(allowed, () => {
      this.#unexpected.value++;
    });
  }

  #isShown({ name }: CollectedMetric): boolean {
    const { disabled, showHidden } = this.#settings;
    return !disabled.has(name) && (showHidden || !isHidden(name, API_LEVEL.minor));
  }

  /** Upstream: registered_metrics_total and others of k8s.io/component-base/metrics */
  #addOwnMetrics(): void {
    const count = (value: number) => [{ labels: {}, value }];
    const hidden = () => [...this.#metrics.keys()].filter((name) => isHidden(name, API_LEVEL.minor)).length;
    this.collect({
      name: 'disabled_metrics_total',
      help: 'Metrics that are left out by a flag.',
      type: 'counter',
      samples: () => count(this.#settings.disabled.size),
    });
    this.collect({
      name: 'hidden_metrics_total',
      help: 'Metrics that this release hides.',
      type: 'counter',
      samples: () => count(this.#settings.showHidden ? 0 : hidden()),
    });
    this.collect({
      name: 'registered_metrics_total',
      help: 'Metrics by stability and deprecation.',
      type: 'counter',
      samples: () => registeredSamples(this.shown()),
    });
  }

  #makeRegistry(client: typeof import('prom-client')): Registry {
    const registry = new client.Registry();
    for (const metric of this.#metrics.values()) if (this.#isShown(metric)) register(registry, metric);
    if (this.#hasProcessMetrics) {
      client.collectDefaultMetrics({ register: registry });
      for (const metric of PROCESS_METRICS) {
        registry.removeSingleMetric(metric.name);
        register(registry, metric, metric.help);
      }
    }
    return registry;
  }
}

function registeredSamples(metrics: readonly ShownMetric[]): Sample[] {
  const counts = new Map<string, number>();
  for (const { name, stability } of metrics) {
    const key = `${stability} ${deprecatedSince(name)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, value]) => {
    const [level = '', since = ''] = key.split(' ');
    return { labels: { stability_level: level, deprecated_version: since }, value };
  });
}

/** prom-client accepts any object with `get`. */
function register(registry: Registry, metric: CollectedMetric, help = annotatedHelp(metric.name, metric.help)): void {
  const { name, type } = metric;
  const collected = {
    name,
    help,
    type,
    aggregator: 'sum',
    get: () => Promise.resolve({ name, help, type, aggregator: 'sum', values: metric.samples() }),
  };
  // Its types only allow its own classes; it uses `name` and `get`.
  registry.registerMetric(collected as never);
}
