export { MetricsRegistry } from './metrics-registry.js';
export { HistogramSeries, type Labels, type Series, ValueFamily } from './series.js';
