import type { MetricsRegistry } from '@apiserver/component-base/metrics';

/**
 * Counts documents of aggregated discovery. Upstream: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/metrics.go
 */
export interface DiscoveryMetrics {
  /** The document of this server is made. */
  aggregated(): void;
  /** The document of all peers is served: from the cache, or made for this. */
  peerAggregated(isCached: boolean): void;
  /** A client asks for this server alone. */
  withoutPeers(): void;
}

/**
 * Registers the families, without `hasPeers` only that of this server. Throws if the registry has one of their names
 * already. Upstream feature gate: UnknownVersionInteroperabilityProxy
 */
export function createDiscoveryMetrics(metrics: MetricsRegistry, hasPeers = true): DiscoveryMetrics {
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `aggregator_discovery_${name}`, help, labels: [] }).with({});
  const aggregations = counter('aggregation_count_total', 'Documents of aggregated discovery that were made.');
  if (!hasPeers) {
    return { aggregated: () => void aggregations.value++, peerAggregated: () => {}, withoutPeers: () => {} };
  }
  const hits = counter('peer_aggregated_cache_hits_total', 'Discovery of all peers that was served from the cache.');
  const misses = counter('peer_aggregated_cache_misses_total', 'Discovery of all peers that was made for a request.');
  const withoutPeers = counter('nopeer_requests_total', 'Requests for discovery without that of peers.');
  return {
    aggregated: () => void aggregations.value++,
    peerAggregated: (isCached) => void (isCached ? hits : misses).value++,
    withoutPeers: () => void withoutPeers.value++,
  };
}
