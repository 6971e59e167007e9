/**
 * What a watch cache counts. Called on hot paths: each of them adds a number.
 * Upstream: k8s.io/apiserver/pkg/storage/cacher/metrics
 */
export interface CacheMetrics {
  /** The cache was filled. */
  initialized(): void;
  /** A change was taken up and given to watchers. */
  changed(revision: number): void;
  /** Objects of the state that a new watcher began with. */
  initialEvents(count: number): void;
  /** `index`: the name of the index that was used; "": none. `fetched` were looked at, `returned` were wanted. */
  listed(index: string, fetched: number, returned: number): void;
  /** A read waited for the cache to be new enough. */
  waited(seconds: number): void;
  /** A list asked for the newest state. `fallback`: the store had to be read. */
  consistentRead(success: boolean, fallback: boolean): void;
  /** So many changes are kept from now on. */
  resized(before: number, capacity: number): void;
}

/** Counts nothing. */
export const noCacheMetrics: CacheMetrics = {
  initialized: () => {},
  changed: () => {},
  initialEvents: () => {},
  listed: () => {},
  waited: () => {},
  consistentRead: () => {},
  resized: () => {},
};
