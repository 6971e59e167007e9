import { exponentialBounds, type MetricsRegistry } from '@apiserver/component-base/metrics';
import type { EndpointMetrics } from '@apiserver/endpoints-installer';

/** 1 KiB to 128 KiB, each twice the one before. */
const eventSizeBounds = exponentialBounds(1024, 8);

/**
 * Metrics of the endpoints of all API groups.
 * Upstream: k8s.io/apiserver/pkg/endpoints/metrics
 */
export function createEndpointMetrics(registry: MetricsRegistry, request: EndpointMetrics['request']): EndpointMetrics {
  const byResource = ['group', 'version', 'resource'] as const;
  const events = registry.counter({
    name: 'apiserver_watch_events_total',
    help: 'Events sent to watching clients.',
    labels: byResource,
  });
  const sizes = registry.histogram(
    { name: 'apiserver_watch_events_sizes', help: 'Size of watch events in bytes.', labels: byResource },
    eventSizeBounds,
  );
  const terminated = registry.counter({
    name: 'apiserver_terminated_watchers_total',
    help: 'Watches ended because their clients did not keep up.',
    labels: ['group', 'resource'],
  });
  const deprecated = registry.gauge({
    name: 'apiserver_requested_deprecated_apis',
    help: 'Is 1 for deprecated APIs that have been requested, with the release that removes them.',
    labels: [...byResource, 'subresource', 'removed_release'],
  });
  return {
    request,
    watchEvents: (resource) => {
      const total = events.with(resource);
      const size = sizes.with(resource);
      return (bytes) => {
        total.value++;
        size.observe(bytes);
      };
    },
    watchTerminated: ({ group, resource }) => void terminated.with({ group, resource }).value++,
    deprecatedRequests: ({ removedRelease, ...api }) => {
      const labels = { ...api, removed_release: removedRelease };
      return () => {
        deprecated.with(labels).value = 1;
      };
    },
  };
}
