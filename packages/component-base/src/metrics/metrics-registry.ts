import type { Registry } from 'prom-client';
import { type CollectedMetric, HistogramFamily, type MetricDescription, SummaryFamily, ValueFamily } from './series.js';
import type { SummaryOptions } from './summary-series.js';

/** The text of /metrics. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/**
 * The metrics of one server. Counting only touches plain numbers; prom-client, which formats them and adds those of the
 * process, is loaded on the first request.
 */
export class MetricsRegistry {
  readonly #metrics = new Map<string, CollectedMetric>();
  #registry: Promise<Registry> | undefined = undefined;

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

  async expose(): Promise<Exposition> {
    this.#registry ??= makeRegistry([...this.#metrics.values()]);
    const registry = await this.#registry;
    return { contentType: registry.contentType, text: await textByName(registry) };
  }

  #add<M extends CollectedMetric>(metric: M): M {
    if (this.#metrics.has(metric.name)) throw new Error(`the metric ${metric.name} is registered already`);
    this.#metrics.set(metric.name, metric);
    void this.#registry?.then((registry) => register(registry, metric));
    return metric;
  }
}

async function makeRegistry(metrics: readonly CollectedMetric[]): Promise<Registry> {
  const { default: client } = await import('prom-client');
  const registry = new client.Registry();
  for (const metric of metrics) register(registry, metric);
  client.collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Families in order of their names, like Go's gatherer. They are collected in order of registration: the default
 * metrics set some of them while the first one is collected.
 */
async function textByName(registry: Registry): Promise<string> {
  const families = await Promise.all(
    registry
      .getMetricsAsArray()
      .map(async ({ name }) => ({ name, text: await registry.getSingleMetricAsString(name) })),
  );
  families.sort((a, b) => (a.name < b.name ? -1 : 1));
  // prom-client writes "Nan", for which readers of this format have no rule.
  return `${families.map(({ text }) => text.replace(/ Nan$/gm, ' NaN')).join('\n\n')}\n`;
}

/** prom-client accepts any object with `get`. */
function register(registry: Registry, metric: CollectedMetric): void {
  const { name, help, type } = metric;
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
