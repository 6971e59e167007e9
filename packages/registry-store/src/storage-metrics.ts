import { formatGroupResource } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { KeyValueStore } from './key-value-store.js';
import type { ObjectCounts } from './object-counts.js';
import type { ObjectCounter } from './storage-provider.js';

/** Dependencies of the metrics of storage. */
export interface StorageMetricsOptions {
  readonly counts: ObjectCounts;
  readonly stores: readonly KeyValueStore[];
  /** In milliseconds; 0 for never. */
  readonly settings: {
    readonly countMetricPollPeriod: number;
    readonly databaseMetricPollInterval: number;
    /** Default: true. Upstream feature gate: DetectCacheInconsistency */
    readonly checksCaches?: boolean;
  };
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly metrics: MetricsRegistry;
  readonly logger: Logger;
}

const COUNT_HELP =
  'Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.';
const SIZE_HELP =
  'Estimated size of stored objects in database. Estimate is based on sum of last observed sizes of serialized ' +
  'objects. In case of a fetching error, the value will be -1.';
const BY_RESOURCE = ['group', 'resource'] as const;
/** Upstream: objectCounts of leases in k8s.io/apiserver/pkg/storage/etcd3/metrics */
const LEASE_BOUNDS = [10, 50, 100, 500, 1000, 2500, 5000];
/** The time until the objects of a resource are counted first. Many are added together. */
const FIRST_DELAY_MS = 5000;
/** Part of a period by which each one is longer at random, in per cent. Upstream: resourceCountPollPeriodJitter */
const COUNT_JITTER = 120;
/** Upstream: dbMetricsMonitorJitter */
const SIZE_JITTER = 50;
/** Upstream: cacher.ConsistencyCheckPeriod, and the jitter of startChecking */
const CHECK_PERIOD_MS = 300_000;
const CHECK_JITTER = 50;

/**
 * Counts objects, asks for the size of the database and compares caches with their store, now and then.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/metrics and pkg/registry/generic/registry (startObservingCount)
 */
export class StorageMetrics implements AsyncDisposable {
  readonly #options: StorageMetricsOptions;
  readonly #cancels = new Set<() => void>();
  #ended = false;

  constructor(options: StorageMetricsOptions) {
    this.#options = options;
    const { countMetricPollPeriod, databaseMetricPollInterval } = options.settings;
    if (countMetricPollPeriod > 0) {
      // Soon after it is added, each resource is counted on its own.
      const soon = Math.min(countMetricPollPeriod, FIRST_DELAY_MS);
      this.#every(countMetricPollPeriod, COUNT_JITTER, this.#counting(soon), soon + countMetricPollPeriod);
    }
    this.#countLeases();
    if (databaseMetricPollInterval > 0 && options.stores.some(({ size }) => size !== undefined)) {
      this.#every(databaseMetricPollInterval, SIZE_JITTER, this.#measuring());
    }
    if (options.settings.checksCaches ?? true) {
      this.#every(CHECK_PERIOD_MS, CHECK_JITTER, this.#checking(), CHECK_PERIOD_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    for (const cancel of this.#cancels) cancel();
  }

  #counting(soon: number): () => Promise<void> {
    const { metrics, counts } = this.#options;
    const objects = metrics.gauge({
      name: 'apiserver_resource_objects',
      help: COUNT_HELP,
      labels: BY_RESOURCE,
    });
    const deprecated = metrics.gauge({
      name: 'apiserver_storage_objects',
      help: `[DEPRECATED, consider using apiserver_resource_objects instead] ${COUNT_HELP}`,
      labels: ['resource'],
    });
    const sizes = metrics.gauge({
      name: 'apiserver_resource_size_estimate_bytes',
      help: SIZE_HELP,
      labels: BY_RESOURCE,
    });
    const countAll = async (counters: Iterable<ObjectCounter>): Promise<void> => {
      for (const counter of counters) {
        if (this.#ended) return;
        const { group, resource, count, storedBytes } = counter;
        const number = await count().catch(() => -1);
        if (!counts.has(counter)) continue;
        objects.with({ group, resource }).value = number;
        deprecated.with({ resource: formatGroupResource({ group, resource }) }).value = number;
        sizes.with({ group, resource }).value = estimate(number, storedBytes() ?? 0);
      }
    };
    let added: ObjectCounter[] = [];
    const countSoon = (counter: ObjectCounter): void => {
      if (added.push(counter) > 1) return;
      this.#after(soon, () => {
        const counters = added;
        added = [];
        return countAll(counters);
      });
    };
    for (const counter of counts) countSoon(counter);
    counts.observe({
      added: countSoon,
      removed: ({ group, resource }) => {
        objects.remove({ group, resource });
        deprecated.remove({ resource: formatGroupResource({ group, resource }) });
        sizes.remove({ group, resource });
      },
    });
    return () => countAll(counts);
  }

  #measuring(): () => Promise<void> {
    const { metrics, stores } = this.#options;
    const bytes = metrics.gauge({
      name: 'apiserver_storage_size_bytes',
      help: 'Size of the database of the storage, in bytes.',
      labels: ['storage_cluster_id'],
    });
    return async () => {
      for (const [i, store] of stores.entries()) {
        const size = await store.size?.().catch(() => undefined);
        if (size !== undefined) bytes.with({ storage_cluster_id: `etcd-${i}` }).value = size;
      }
    };
  }

  #countLeases(): void {
    const { metrics, stores } = this.#options;
    const observed = stores.filter((store) => store.observeLeases !== undefined);
    if (observed.length === 0) return;
    const description = {
      name: 'etcd_lease_object_counts',
      help: 'Objects of one lease of etcd.',
      labels: [],
    };
    const counts = metrics.histogram(description, LEASE_BOUNDS).with({});
    for (const store of observed) store.observeLeases?.((keys) => counts.observe(keys));
  }

  /** Upstream: k8s.io/apiserver/pkg/storage/cacher (consistencyChecker) */
  #checking(): () => Promise<void> {
    const { metrics, counts, logger } = this.#options;
    const checks = metrics.counter({
      name: 'apiserver_storage_consistency_checks_total',
      help: 'Comparisons of a watch cache with its store, by result.',
      labels: [...BY_RESOURCE, 'status'],
    });
    return async () => {
      for (const counter of counts) {
        const { group, resource, checkConsistency } = counter;
        if (this.#ended || checkConsistency === undefined) continue;
        const labels = { group, resource };
        try {
          const isRight = await checkConsistency();
          if (!counts.has(counter)) continue;
          checks.with({ ...labels, status: isRight ? 'success' : 'failure' }).value++;
          if (!isRight) logger.error(undefined, 'Cache consistency check failed', labels);
        } catch (error) {
          if (this.#ended) return;
          if (!counts.has(counter)) continue;
          checks.with({ ...labels, status: 'error' }).value++;
          logger.error(error, 'Cache consistency check error', labels);
        }
      }
    };
  }

  #every(
    period: number,
    jitterPercent: number,
    work: () => Promise<void>,
    first = Math.min(period, FIRST_DELAY_MS),
  ): void {
    const { random } = this.#options;
    const again = () => work().then(() => this.#after(period * (1 + random(jitterPercent) / 100), again));
    this.#after(first, again);
  }

  #after(delay: number, work: () => Promise<void>): void {
    if (this.#ended) return;
    const cancel = this.#options.clock.schedule(() => {
      this.#cancels.delete(cancel);
      void work();
    }, delay);
    this.#cancels.add(cancel);
  }
}

/**
 * Upstream multiplies the average, without its fraction, by the number.
 * Upstream: metrics.UpdateStoreStats, statsCache.Stats
 */
function estimate(objects: number, storedBytes: number): number {
  if (objects <= 0) return objects;
  const average = Math.floor(storedBytes / objects);
  return average === 0 ? -1 : average * objects;
}
