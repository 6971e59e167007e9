/** The authorizer of kubelets. */
export { createGraphMetrics } from './graph-metrics.js';
export { type GraphObserver, type GraphSink, graphSinks, type NodeAuthorizerFeatures } from './graph-sinks.js';
export { type NodeAuthorizerOptions, nodeAuthorizer } from './node-authorizer.js';
export { type GraphKind, type NamingKind, NodeGraph } from './node-graph.js';
export type { ReferredKind } from './pod-references.js';
