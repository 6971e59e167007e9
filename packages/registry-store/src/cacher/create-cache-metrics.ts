import type { GroupResource } from '@apiserver/apimachinery';
import type { MetricsRegistry, Series } from '@apiserver/component-base/metrics';
import type { CacheMetrics } from './cache-metrics.js';

/** Seconds. Upstream: WatchCacheReadWait */
const waitBounds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3];
/** Upstream: RecordResourceVersion */
const VERSION_MODULUS = 1e15;

/** The features that have metrics of their own. */
export interface CacheMetricsOptions {
  /** Upstream feature gate: ShardedListAndWatch. Default: false. */
  readonly sharding?: boolean;
}

/**
 * Registers the metrics of watch caches, and returns a function that makes those of one resource. Upstream:
 * pkg/storage/cacher/metrics
 */
export function createCacheMetrics(
  registry: MetricsRegistry,
  { sharding = false }: CacheMetricsOptions = {},
): (resource: GroupResource) => CacheMetrics {
  const families = { ...registerFamilies(registry), ...(sharding && shardFamilies(registry)) };
  return (resource) => new ResourceCacheMetrics(families, resource);
}

type Families = ReturnType<typeof registerFamilies> & Partial<ReturnType<typeof shardFamilies>>;

/** The series of frequent events are looked up once, when the first one comes: most caches of a server see none. */
class ResourceCacheMetrics implements CacheMetrics {
  readonly #families: Families;
  readonly #labels: GroupResource;
  #changes: ReturnType<typeof changesOf> | undefined = undefined;
  #returned: Series | undefined = undefined;

  constructor(families: Families, { group, resource }: GroupResource) {
    this.#families = families;
    this.#labels = { group, resource };
  }

  initialized(): void {
    this.#families.initializations.with(this.#labels).value++;
  }

  changed(revision: number): void {
    this.#changes ??= changesOf(this.#families, this.#labels);
    const { received, dispatched, version } = this.#changes;
    received.value++;
    dispatched.value++;
    version.value = revision % VERSION_MODULUS;
  }

  initialEvents(count: number): void {
    if (count > 0) this.#families.initialEvents.with(this.#labels).value += count;
  }

  listed(index: string, fetched: number, returned: number): void {
    const families = this.#families;
    families.lists.with({ ...this.#labels, index }).value++;
    families.fetched.with({ ...this.#labels, index }).value += fetched;
    this.#returned ??= families.returned.with(this.#labels);
    this.#returned.value += returned;
  }

  waited(seconds: number): void {
    this.#families.wait.with(this.#labels).observe(seconds);
  }

  consistentRead(success: boolean, fallback: boolean): void {
    const outcome = { success: String(success), fallback: String(fallback) };
    this.#families.consistent.with({ ...this.#labels, ...outcome }).value++;
  }

  shardedWatches(change: number): void {
    const { shards } = this.#families;
    if (shards !== undefined) shards.with(this.#labels).value += change;
  }

  outsideShard(): void {
    const { outside } = this.#families;
    if (outside !== undefined) outside.with(this.#labels).value++;
  }

  resized(before: number, capacity: number): void {
    const { capacity: gauge, increases, decreases } = this.#families;
    gauge.with(this.#labels).value = capacity;
    if (capacity > before) increases.with(this.#labels).value++;
    else if (capacity < before) decreases.with(this.#labels).value++;
  }
}

function changesOf({ received, dispatched, version }: Families, labels: GroupResource) {
  return { received: received.with(labels), dispatched: dispatched.with(labels), version: version.with(labels) };
}

function shardFamilies(registry: MetricsRegistry) {
  const labels = ['group', 'resource'] as const;
  return {
    shards: registry.gauge({
      name: 'apiserver_watch_shards_total',
      help: 'Open watches with a shard selector.',
      labels,
    }),
    outside: registry.counter({
      name: 'apiserver_watch_filtered_events_total',
      help: 'Events that the shard selector of a watch excluded.',
      labels,
    }),
  };
}

function registerFamilies(registry: MetricsRegistry) {
  const byResource = ['group', 'resource'] as const;
  const byIndex = [...byResource, 'index'] as const;
  const byOutcome = [...byResource, 'success', 'fallback'] as const;
  const counter = <L extends string>(name: string, help: string, labels: readonly L[]) =>
    registry.counter({ name, help, labels });
  const gauge = (name: string, help: string) => registry.gauge({ name, help, labels: byResource });
  const wait = {
    name: 'apiserver_watch_cache_read_wait_seconds',
    help: 'How long reads waited for a watch cache to be fresh.',
    labels: byResource,
  };
  return {
    lists: counter('apiserver_cache_list_total', 'Lists served from a watch cache.', byIndex),
    fetched: counter('apiserver_cache_list_fetched_objects_total', 'Objects that lists looked at.', byIndex),
    returned: counter('apiserver_cache_list_returned_objects_total', 'Objects that lists returned.', byResource),
    initialEvents: counter('apiserver_init_events_total', 'Objects that watches began with.', byResource),
    received: counter('apiserver_watch_cache_events_received_total', 'Changes that came from storage.', byResource),
    dispatched: counter('apiserver_watch_cache_events_dispatched_total', 'Changes given to watchers.', byResource),
    initializations: counter(
      'apiserver_watch_cache_initializations_total',
      'How often a cache was filled.',
      byResource,
    ),
    version: gauge(
      'apiserver_watch_cache_resource_version',
      'Version of the newest change in a cache, 15 digits of it.',
    ),
    consistent: counter('apiserver_watch_cache_consistent_read_total', 'Consistent lists from a cache.', byOutcome),
    capacity: gauge('watch_cache_capacity', 'How many changes a cache keeps.'),
    increases: counter(
      'watch_cache_capacity_increase_total',
      'How often a cache came to keep more changes.',
      byResource,
    ),
    decreases: counter(
      'watch_cache_capacity_decrease_total',
      'How often a cache came to keep fewer changes.',
      byResource,
    ),
    wait: registry.histogram(wait, waitBounds),
  };
}
