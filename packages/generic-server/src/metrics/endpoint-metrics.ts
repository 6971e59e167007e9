import { exponentialBounds, type MetricsRegistry } from '@apiserver/component-base/metrics';
import type { EndpointMetrics } from '@apiserver/endpoints-installer';

/** 1 KiB to 128 KiB, each twice the one before. */
const eventSizeBounds = exponentialBounds(1024, 8);

const watchListBounds = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60];
/** 50 kB to 3 MB in steps of 100 kB. */
const bodySizeBounds = Array.from({ length: 31 }, (_, step) => 50_000 + 100_000 * step);

/**
 * Metrics of the endpoints of all API groups.
 * Upstream: k8s.io/apiserver/pkg/endpoints/metrics, k8s.io/apiserver/pkg/endpoints/handlers/metrics
 */
export function createEndpointMetrics(
  registry: MetricsRegistry,
  { request, afterTimeout }: Pick<EndpointMetrics, 'request' | 'afterTimeout'>,
): EndpointMetrics {
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
  const watchLists = registry.histogram(
    {
      name: 'apiserver_watch_list_duration_seconds',
      help: 'Time from a watch with initial events to the end of these events, in seconds.',
      labels: [...byResource, 'scope'],
    },
    watchListBounds,
  );
  const bodies = registry.histogram(
    {
      name: 'apiserver_request_body_size_bytes',
      help: 'Size of request bodies in bytes.',
      labels: ['group', 'resource', 'verb'],
    },
    bodySizeBounds,
  );
  return {
    request,
    afterTimeout,
    watchListed: (resource, scope, seconds) => watchLists.with({ ...resource, scope }).observe(seconds),
    requestBody: ({ group, resource }, verb, bytes) => bodies.with({ group, resource, verb }).observe(bytes),
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
