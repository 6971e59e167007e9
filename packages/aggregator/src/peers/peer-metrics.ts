import type { GroupVersionResource } from '@apiserver/apimachinery';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';

/** Failures of a request to a peer. */
type ProxyFailure = 'endpoint_resolution';
/** Failures to read what a peer serves. */
export type DiscoveryFailure = 'hostport_resolution' | 'fetch_discovery';

/** Counts requests to peers. Upstream: k8s.io/apiserver/pkg/util/peerproxy/metrics */
export interface PeerMetrics {
  /** A request that a peer has served. Discovery has an empty resource. */
  rerouted(status: number, resource: GroupVersionResource): void;
  failed(failure: ProxyFailure, resource: GroupVersionResource): void;
  discoveryFailed(failure: DiscoveryFailure): void;
}

/** Registers the metrics of requests to peers. */
export function createPeerMetrics(metrics: MetricsRegistry): PeerMetrics {
  const rerouted = metrics.counter({
    name: 'apiserver_rerouted_request_total',
    help: 'Requests that a peer answered because this server does not serve their group, version and resource. All three are empty for discovery.',
    labels: ['code', 'group', 'version', 'resource'],
  });
  const failures = metrics.counter({
    name: 'apiserver_peer_proxy_errors_total',
    help: 'Requests that could not be sent to a peer.',
    labels: ['type', 'group', 'version', 'resource'],
  });
  const discoveryFailures = metrics.counter({
    name: 'apiserver_peer_discovery_sync_errors_total',
    help: 'Failures to read the discovery of a peer.',
    labels: ['type'],
  });
  return {
    rerouted: (code, { group, version, resource }) =>
      void rerouted.with({ code: String(code), group, version, resource }).value++,
    failed: (type, { group, version, resource }) => void failures.with({ type, group, version, resource }).value++,
    discoveryFailed: (type) => void discoveryFailures.with({ type }).value++,
  };
}
