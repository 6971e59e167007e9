import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { ResourceDefinition, Storage, Strategy } from '@apiserver/apiserver-contracts';

/** Dependencies of a generic Store. */
export interface StoreOptions<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition<T>;
  readonly storage: Storage<T>;
  /** The rules of a subresource's endpoint; default the definition's. */
  readonly strategy?: Strategy<T>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** For generated names. */
  readonly random: RandomInt;
  /** A new version 4 UUID. */
  readonly newUid: () => string;
  /**
   * True if deletion may leave finalizers for a garbage collector.
   * Upstream: --enable-garbage-collector, default true.
   */
  readonly enableGarbageCollection?: boolean;
  /**
   * Concurrent deletes of one deletecollection.
   * Upstream: --delete-collection-workers, default 1.
   */
  readonly deleteCollectionWorkers?: number;
}
