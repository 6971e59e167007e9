/** The outermost server of the chain: APIServices, and discovery over all servers. */

export { createDiscoveryMetrics, type DiscoveryMetrics } from './discovery/discovery-metrics.js';
export { loadPeers, type PeerProxying } from './peers/load-peers.js';
export type { ProxyCertificate } from './proxy/kept-transports.js';
export { clusterIPResolver, endpointResolver } from './proxy/service-resolver.js';
export { type Aggregator, type AggregatorConfig, newAggregator, type ProxyingConfig } from './server/aggregator.js';
