/** What a store is asked for, in upstream's words. Upstream: metrics.RecordEtcdRequest in k8s.io/apiserver/pkg/storage/etcd3 */
export type StoreOperation = 'get' | 'list' | 'listWithCount' | 'create' | 'update' | 'delete';

/**
 * What is counted of the requests that a resource makes to its store. Called on hot paths: each adds a number.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/metrics
 */
export interface StoreMetrics {
  /** A request to a store on the network. */
  requested(operation: StoreOperation, seconds: number, failed: boolean): void;
  /** A change that such a store has told of. */
  eventReceived(): void;
  /** Such a store has told how far a watch is. */
  progressReceived(): void;
  /** A stored value was no object. */
  undecodable(): void;
  /** A list was read from the store: so many objects were fetched, looked at, answered. */
  listed(fetched: number, evaluated: number, returned: number): void;
}
