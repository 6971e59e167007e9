/** Upstream's names of store operations. Upstream: metrics.RecordEtcdRequest in k8s.io/apiserver/pkg/storage/etcd3 */
export type StoreOperation = 'get' | 'list' | 'listWithCount' | 'create' | 'update' | 'delete';

/**
 * Metrics of a resource's requests to its store. Called on hot paths: each call only adds a number.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/metrics
 */
export interface StoreMetrics {
  /** A request to a network store. */
  requested(operation: StoreOperation, seconds: number, failed: boolean): void;
  /** A change received from such a store. */
  eventReceived(): void;
  /** A progress notification received from such a store. */
  progressReceived(): void;
  /** A stored value was not an object. */
  undecodable(): void;
  /** A list was read from the store: numbers of objects fetched, evaluated, returned. */
  listed(fetched: number, evaluated: number, returned: number): void;
}
