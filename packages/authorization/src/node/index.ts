/** The authorizer of kubelets. */
export { createGraphMetrics } from './graph-metrics.js';
export { type GraphObserver, type GraphSink, graphSinks } from './graph-sinks.js';
export { type NodeAuthorizerOptions, nodeAuthorizer } from './node-authorizer.js';
export { type GraphKind, NodeGraph } from './node-graph.js';
export type { ReferredKind } from './pod-references.js';
