import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ResourceDefinition, Storage } from '@apiserver/apiserver-contracts';
import type { CacheMetrics } from './cacher/cache-metrics.js';
import type { FirstUse } from './cacher/deferred-storage.js';
import type { KeyValueStore } from './key-value-store.js';
import type { AtRestConversion } from './objects/at-rest-conversion.js';
import type { Cbor } from './objects/forms/cbor.js';
import type { StorageMediaType } from './objects/forms/encoded-form.js';
import type { ObjectSource } from './objects/known-objects.js';
import type { StoreMetrics } from './objects/store-metrics.js';
import type { Transformer } from './objects/transformer.js';

/** Dependencies of a StorageProvider. */
export interface StorageProviderOptions {
  /** Owned by the caller: dispose the provider first, then the store. */
  readonly store: KeyValueStore;
  /** Key prefix of everything, without trailing slash. Upstream: --etcd-prefix, default "/registry". */
  readonly root?: string;
  readonly clock: Clock;
  /** Compiles a kind; memoised by the caller, so that storage and endpoints share one codec per kind. */
  readonly codecFor: (schema: KindSchema) => KindCodec;
  /**
   * Encoding of objects at rest; all encodings are read. Absent: only JSON, as always for custom resources. Upstream
   * flag: --storage-media-type
   */
  readonly mediaType?: StorageMediaType;
  /**
   * `@apiserver/apimachinery/codec/cbor`: custom resources are stored in CBOR, JSON is read too. Absent: JSON. Upstream
   * feature gate: CBORServingAndStorage
   */
  readonly cbor?: Cbor | undefined;
  /** The same where custom resources are stored in JSON: those that another server stored in CBOR are read. */
  readonly readCbor?: Cbor | undefined;
  /** Encryption at rest of a resource, called once. Default: none. */
  readonly transformerFor?: ((resource: GroupResource & { readonly keyPrefix: string }) => Transformer) | undefined;
  /** Reads and writes all resources of the provider in one version, whatever version is stored. Default: none. */
  readonly conversion?: AtRestConversion;
  /**
   * Errors of unreadable objects name the objects that can be deleted without reading them. Default: false.
   * Upstream feature gate: AllowUnsafeMalformedObjectDeletion
   */
  readonly unsafeDeletion?: boolean;
  /** Resources that are read directly from the store, without a watch cache. Default: none. */
  readonly uncached?: ((resource: GroupResource) => boolean) | undefined;
  /**
   * Watch caches serve lists at an exact version, and further pages. Default: true. Upstream feature gate:
   * ListFromCacheSnapshot
   */
  readonly listsPast?: boolean | undefined;
  /** Metrics of a resource's watch cache. Default: none. */
  readonly cacheMetrics?: ((resource: GroupResource) => CacheMetrics) | undefined;
  /** True if requests may be audited or traced: the store then reports its work for them. Default: false. */
  readonly isObserved?: boolean | undefined;
  /** Metrics of a resource's requests to its store. Default: none. */
  readonly storeMetrics?: ((resource: GroupResource) => StoreMetrics) | undefined;
  /**
   * Called with the counter of each resource with verbs when its storage is provided. The provider calls the result
   * when it is disposed. Default: nothing is counted.
   */
  readonly counted?: ((counter: ObjectCounter) => () => void) | undefined;
  /** The separate store of a resource, if it has one; also owned by the caller. Default: `store` for all. */
  readonly storeFor?: (resource: GroupResource) => KeyValueStore | undefined;
  /**
   * Objects that other stores of the process have too: most of a decoded one is shared. Read at each decoding. Default:
   * none.
   */
  readonly known?: (() => ObjectSource | undefined) | undefined;
  /** Bound on decoded objects of all caches together, in bytes of their JSON. Default 2 MiB. */
  readonly maxDecodedBytes?: number;
}

/** Counts the objects of a resource. */
export interface ObjectCounter extends GroupResource {
  /** Rejects with the store's error. */
  count(): Promise<number>;
  /** The number of objects in the watch cache; undefined without one, or while it is not filled. */
  cachedCount(): number | undefined;
  /** Bytes of all objects in the store; undefined if unknown. */
  storedBytes(): number | undefined;
  /** See CachedStorage. */
  checkConsistency?(): Promise<boolean>;
}

/**
 * Provides the storage of every resource.
 * Upstream: k8s.io/apiserver/pkg/registry/generic.RESTOptionsGetter
 */
export interface StorageProvider extends AsyncDisposable {
  /**
   * The storage of a resource; memoised per keyPrefix, so that a resource, its subresources and its other groups
   * share one watch cache. The cache starts to fill on the first use.
   */
  storageFor<T extends KubeObject>(definition: ResourceDefinition<T>): Storage<T>;
  /**
   * Resolves when a resource is first used. Undefined if it has been used, or has objects, or if that is unknown. Until
   * it resolves, the resource has no object.
   */
  firstUse(resource: GroupResource): Promise<void> | undefined;
  /**
   * As `firstUse`; looks into the store if it is unknown whether the resource has objects. If it has none, the first
   * write, and a restore, wait until `ready` settles. It must settle once the resource can be listed.
   */
  unused(resource: GroupResource, ready: Promise<unknown>): Promise<FirstUse | undefined>;
  /** Resolves when every storage provided so far can serve reads, except of unreadable objects. */
  ready(signal?: AbortSignal): Promise<void>;
}
