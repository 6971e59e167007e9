import type { GroupResource } from '@apiserver/apimachinery';
import type { HistogramSeries, MetricsRegistry, Series } from '@apiserver/component-base/metrics';
import type { StoreMetrics, StoreOperation } from './store-metrics.js';

/** Seconds. Upstream: etcdRequestLatency of k8s.io/apiserver/pkg/storage/etcd3/metrics */
const LATENCY_BOUNDS = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2],
  ...[3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
];

/**
 * Registers the metrics of store requests, and returns a function that makes those of one resource.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/metrics
 */
export function createStoreMetrics(registry: MetricsRegistry): (resource: GroupResource) => StoreMetrics {
  const families = registerFamilies(registry);
  return ({ group, resource }) => {
    const labels = { group, resource };
    const operations = new Map<StoreOperation, Operation>();
    const operationOf = (operation: StoreOperation): Operation => {
      const known = operations.get(operation) ?? {
        latency: families.latencies.with({ ...labels, operation }),
        total: families.requests.with({ ...labels, operation }),
        failures: () => families.errors.with({ ...labels, operation }),
      };
      operations.set(operation, known);
      return known;
    };
    return {
      requested(operation, seconds, failed) {
        const { latency, total, failures } = operationOf(operation);
        latency.observe(seconds);
        total.value++;
        if (failed) failures().value++;
      },
      eventReceived: () => void families.events.with(labels).value++,
      progressReceived() {
        families.bookmarks.with(labels).value++;
        families.deprecatedBookmarks.with(labels).value++;
      },
      undecodable: () => void families.undecodable.with(labels).value++,
      listed(fetched, evaluated, returned) {
        families.lists.with(labels).value++;
        families.fetched.with(labels).value += fetched;
        families.evaluated.with(labels).value += evaluated;
        families.returned.with(labels).value += returned;
      },
    };
  };
}

interface Operation {
  readonly latency: HistogramSeries;
  readonly total: Series;
  /** Made when there is one. */
  failures(): Series;
}

const BOOKMARK_HELP = 'Number of etcd bookmarks (progress notify events) split by kind.';

function registerFamilies(registry: MetricsRegistry) {
  const byResource = ['group', 'resource'] as const;
  const byOperation = ['operation', ...byResource] as const;
  const counter = <L extends string>(name: string, help: string, labels: readonly L[]) =>
    registry.counter({ name, help, labels });
  const latency = {
    name: 'etcd_request_duration_seconds',
    help: 'Duration of requests to etcd in seconds, by operation and kind.',
    labels: byOperation,
  };
  const list = 'apiserver_storage_list';
  return {
    latencies: registry.histogram(latency, LATENCY_BOUNDS),
    requests: counter('etcd_requests_total', 'Etcd request counts for each operation and object type.', byOperation),
    errors: counter('etcd_request_errors_total', 'Failed requests to etcd, by operation and kind.', byOperation),
    events: counter('apiserver_storage_events_received_total', 'Events received from etcd, by kind.', byResource),
    bookmarks: counter('etcd_bookmark_total', BOOKMARK_HELP, byResource),
    deprecatedBookmarks: registry.gauge({
      name: 'etcd_bookmark_counts',
      help: `(Deprecated since 1.36.0) ${BOOKMARK_HELP}`,
      labels: byResource,
    }),
    undecodable: counter(
      'apiserver_storage_decode_errors_total',
      'Stored objects that could not be decoded, by resource.',
      byResource,
    ),
    lists: counter(`${list}_total`, 'Lists from storage.', byResource),
    fetched: counter(`${list}_fetched_objects_total`, 'Objects that lists read from storage.', byResource),
    evaluated: counter(
      `${list}_evaluated_objects_total`,
      'Objects that lists from storage compared with a selector.',
      byResource,
    ),
    returned: counter(`${list}_returned_objects_total`, 'Objects that lists from storage returned.', byResource),
  };
}
