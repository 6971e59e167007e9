export { exponentialBounds } from './exponential-bounds.js';
export type { GatheredFamily } from './gather-families.js';
export { hashIfNotEmpty } from './hash-if-not-empty.js';
export { type MetricFeatures, MetricsOptions } from './metrics-options.js';
export { MetricsRegistry } from './metrics-registry.js';
export { protobufExposition } from './protobuf-exposition.js';
export { HistogramFamily, HistogramSeries, type Labels, type Series, ValueFamily } from './series.js';
export type { SummarySeries } from './summary-series.js';
export { textExposition } from './text-exposition.js';
