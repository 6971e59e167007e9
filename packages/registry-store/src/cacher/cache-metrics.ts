/**
 * Metrics of a watch cache. Called on hot paths: each call only adds a number.
 * Upstream: k8s.io/apiserver/pkg/storage/cacher/metrics
 */
export interface CacheMetrics {
  /** The cache was filled. */
  initialized(): void;
  /** A change was applied and delivered to watchers. */
  changed(revision: number): void;
  /** Number of initial objects sent to a new watcher. */
  initialEvents(count: number): void;
  /** `index` is the name of the used index; "" for none. `fetched` objects were visited, `returned` were selected. */
  listed(index: string, fetched: number, returned: number): void;
  /** A read waited for the cache to become fresh enough. */
  waited(seconds: number): void;
  /** A list requested the newest state. `fallback`: it was read from the store. */
  consistentRead(success: boolean, fallback: boolean): void;
  /** The number of open watches with a shard selector changed by this. */
  shardedWatches(change: number): void;
  /** The shard selector of a watch excluded a state of an object. */
  outsideShard(): void;
  /** The capacity of the window changed. */
  resized(before: number, capacity: number): void;
}

/** Discards all metrics. */
export const noCacheMetrics: CacheMetrics = {
  initialized: () => {},
  changed: () => {},
  initialEvents: () => {},
  listed: () => {},
  waited: () => {},
  consistentRead: () => {},
  shardedWatches: () => {},
  outsideShard: () => {},
  resized: () => {},
};
