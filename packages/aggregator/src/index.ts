/** The outermost server of the chain: APIServices, and discovery over all servers. */

export type { ProxyCertificate } from './proxy/remote-api-services.js';
export { clusterIPResolver, endpointResolver } from './proxy/service-resolver.js';
export { type Aggregator, type AggregatorConfig, newAggregator, type ProxyingConfig } from './server/aggregator.js';
