export { FeatureGate, type FeatureTable } from './feature-gate.js';
export { addFeatureMetrics } from './feature-metrics.js';
