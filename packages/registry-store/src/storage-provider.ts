import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ResourceDefinition, Storage } from '@apiserver/apiserver-contracts';
import type { CacheMetrics } from './cacher/cache-metrics.js';
import type { KeyValueStore } from './key-value-store.js';
import type { Cbor } from './objects/forms/cbor-form.js';
import type { StorageMediaType } from './objects/forms/encoded-form.js';
import type { StoreMetrics } from './objects/store-metrics.js';
import type { Transformer } from './objects/transformer.js';

/** What a StorageProvider is made of. */
export interface StorageProviderOptions {
  /** Owned by the caller: dispose the provider first, then the store. */
  readonly store: KeyValueStore;
  /** Key prefix of everything, without trailing slash. Upstream: --etcd-prefix, default "/registry". */
  readonly root?: string;
  readonly clock: Clock;
  /** Compiles a kind; memoised by who passes it in, so that storage and endpoints share one codec per kind. */
  readonly codecFor: (schema: KindSchema) => KindCodec;
  /**
   * What objects are encoded in at rest; others are read as well. Absent: JSON and nothing else, as custom resources always
   * are. Upstream flag: --storage-media-type
   */
  readonly mediaType?: StorageMediaType;
  /**
   * `@apiserver/apimachinery/codec/cbor`: custom resources are kept in CBOR, JSON is read as well. Absent: JSON.
   * Upstream feature gate: CBORServingAndStorage
   */
  readonly cbor?: Cbor | undefined;
  /** Encryption at rest of a resource, asked for once. Default: none. */
  readonly transformerFor?: ((resource: GroupResource & { readonly keyPrefix: string }) => Transformer) | undefined;
  /**
   * Errors of unreadable objects name the objects that can be deleted without reading them. Default: false.
   * Upstream feature gate: AllowUnsafeMalformedObjectDeletion
   */
  readonly unsafeDeletion?: boolean;
  /** Resources that are read straight from the store, without a watch cache. Default: none. */
  readonly uncached?: (resource: GroupResource) => boolean;
  /** What the watch cache of a resource counts into. Default: nothing is counted. */
  readonly cacheMetrics?: (resource: GroupResource) => CacheMetrics;
  /** What the requests of a resource to its store count into. Default: nothing is counted. */
  readonly storeMetrics?: (resource: GroupResource) => StoreMetrics;
  /** The store of a resource that has one of its own; owned by the caller too. Default: `store` for all. */
  readonly storeFor?: (resource: GroupResource) => KeyValueStore | undefined;
  /** Bound on parsed objects kept by all caches together, in bytes of their JSON. Default 8 MiB. */
  readonly maxDecodedBytes?: number;
}

/** Says how many objects a resource has. */
export interface ObjectCounter extends GroupResource {
  /** Rejects with the store's error. */
  count(): Promise<number>;
  /** How many bytes the store keeps for all of them; undefined where no cache has seen them. */
  storedBytes(): number | undefined;
  /** See CachedStorage. */
  checkConsistency?(): Promise<boolean>;
}

/**
 * Hands out the storage of every resource.
 * Upstream: k8s.io/apiserver/pkg/registry/generic.RESTOptionsGetter
 */
export interface StorageProvider extends AsyncDisposable {
  /**
   * The storage of a resource; memoised per keyPrefix, so that a resource, its subresources and its other groups
   * share one watch cache. The cache starts to fill on the first use.
   */
  storageFor<T extends KubeObject>(definition: ResourceDefinition<T>): Storage<T>;
  /**
   * Counts of the objects of each resource that has verbs and whose storage was handed out so far, made by the store when
   * they are asked for.
   */
  counters(): Iterable<ObjectCounter>;
  /** Resolves when every storage handed out so far can serve reads, but for objects that cannot be read. */
  ready(signal?: AbortSignal): Promise<void>;
}
