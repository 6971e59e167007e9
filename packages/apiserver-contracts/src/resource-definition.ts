import type { KubeObject, TableColumnDefinition } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { RestStorage } from './rest.js';
import type { GenericStore, StoreHooks } from './store-hooks.js';
import type { Strategy } from './strategy.js';

export type ResourceScope = 'Namespaced' | 'Cluster';

/** A printer column: what Table shows of one object. `cell` gets the object and the clock (for ages). */
export interface Column<T extends KubeObject = KubeObject> extends TableColumnDefinition {
  /**
   * The field whose documentation describes the column, by OpenAPI definition and field name; then `description` is ""
   * and is looked up when a Table is made. Documentation comes with the build and stands in no source.
   */
  readonly describedBy?: { readonly definition: string; readonly field: string };
  /** Rows have its cell, but the Table does not declare it: so upstream where a printer writes one cell too many. */
  readonly undeclared?: true;
  cell(object: T, now: Date): unknown;
}

/** Something that holds for a row of a Table. */
export interface TableRowCondition {
  readonly type: 'Completed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** One served version of a resource. Names its full GVK: a subresource may be of another group. */
export interface ResourceVersionDefinition<T extends KubeObject = KubeObject> {
  readonly version: string;
  readonly schema: KindSchema;
  /** Defaults that need code; run after the schema's own, on every decode and read from storage. Mutates. */
  applyDefaults?(object: T): void;
  /** Folds write-only and alias fields into their canonical ones (Secret.stringData, serviceAccount). Mutates. */
  normalize?(object: T): void;
  /** To and from the hub version; absent when this is the hub. Must not change its argument. */
  toHub?(object: T): T;
  fromHub?(object: T): T;
  /** Warning for every request of a deprecated version, in words of its own. */
  readonly deprecationWarning?: string;
  /** Deprecation warning for every request, as upstream words it from introduced/removed releases. */
  readonly deprecated?: { readonly since: string; readonly removed?: string; readonly replacement?: string };
}

/** A subresource that is stored with its parent (status, finalize) or computed from it (scale). */
export interface SubresourceDefinition<T extends KubeObject = KubeObject> {
  /** Its strategy over the same storage. */
  readonly strategy: Strategy<T>;
  /** The HTTP-side verbs; default get, update, patch. */
  readonly verbs?: readonly string[];
  /** Kind of its objects where that is not the resource's own (Scale, Eviction); the same in every version. */
  readonly schema?: KindSchema;
  /** Versions of that kind's group in which a body may come as well; they must have the same fields. Upstream: rest.GroupVersionAcceptor */
  readonly acceptsVersions?: readonly string[];
  /** A body keeps uid and creation time: they are the parent's. Upstream: rest.SubresourceObjectMetaPreserver */
  readonly preservesSystemFields?: boolean;
  /**
   * The columns of its answers; empty: they have no form as a Table. Absent: the resource's, where `schema` is absent too,
   * else none. Upstream: rest.TableConvertor
   */
  readonly columns?: readonly Column[];
  /**
   * What stands behind it instead of a store of its strategy: computed from the parent (scale), or a verb on it
   * (eviction). Gets the parent's generic store, with the parent's own rules.
   */
  override?(parent: GenericStore<T>): RestStorage;
}

/**
 * A resource in one place: routes, verbs, discovery, OpenAPI, Table, storage key and short names derive from it.
 * Built-in kinds write it by hand; a CustomResourceDefinition becomes one at run time.
 */
export interface ResourceDefinition<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  /** Plural, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: ResourceScope;
  /** In order of preference; the first stable one is the hub unless `hubVersion` says otherwise. */
  readonly versions: readonly ResourceVersionDefinition<T>[];
  /**
   * Versions that are served by other definitions, or not at all, but that those who wrote the objects may have spoken: the
   * paths of managed fields are theirs, and bytes at rest may be. Absent: none.
   */
  readonly otherVersions?: readonly ResourceVersionDefinition<T>[];
  readonly hubVersion: string;
  /** Version that new writes are stored in; one of `otherVersions` too. */
  readonly storageVersion: string;
  /** JSON at rest, whatever others are encoded in (`--storage-media-type`). Absent: no. Upstream: LegacyCodec in its StorageConfig */
  readonly isJsonAtRest?: boolean;
  /** Key below the store's root, as upstream lays it out: "minions", "services/specs", "configmaps". */
  readonly keyPrefix: string;
  readonly strategy: Strategy<T>;
  /** Empty: its answers have no form as a Table. */
  readonly columns: readonly Column<T>[];
  /** What Table says of an object's row as a whole; absent: nothing. */
  rowConditions?(object: T): readonly TableRowCondition[];
  readonly subresources: Readonly<Record<string, SubresourceDefinition<T>>>;
  /** Verbs of the main resource; default all that the generic store has. */
  readonly verbs: readonly string[];
  /** The verbs in discovery, where the server answers more than those. */
  readonly discoveryVerbs?: readonly string[];
  /**
   * The resource of another group that this one shows in other versions (events.k8s.io shows core Events): its Store,
   * storage and rules are used, its hub is the hub, and columns get its objects. All versions convert to it.
   */
  readonly storedAs?: ResourceDefinition<T>;
  /** Values for field selectors beyond metadata.name and metadata.namespace. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  /** Names of those fields, so that an unknown one is refused before any object is looked at. */
  readonly selectableFieldNames: readonly string[];
  /**
   * The selectable field ("spec.nodeName") by whose values lists and watches are looked up: a path in the hub's JSON to a
   * string. Upstream: storage.IndexerFuncs
   */
  readonly indexedField?: string;
  /** The error text for another field, where the kind has its own words. Upstream: AddFieldLabelConversionFunc */
  unknownFieldText?(field: string): string;
  /** The name that `selectableFields` has for a field, by what clients call it, where the two differ (see `storedAs`). */
  readonly selectableFieldLabels?: Readonly<Record<string, string>>;
  /** DELETE answers with the deleted object instead of a Status. Upstream: Store.ReturnDeletedObject */
  readonly returnDeletedObject: boolean;
  /**
   * What OpenAPI says that DELETE answers with, where it says something else: resources with a Store type of their own
   * answer with the object and are documented with a Status. Upstream: rest.MayReturnFullObjectDeleter
   */
  readonly documentsDeletedObject?: boolean;
  /**
   * Objects may have been stored under an older schema of the same version, or by others who do not look, so they are cut,
   * repaired and defaulted when they are read. Built-in kinds never are.
   */
  readonly mayBeOutdatedAtRest?: boolean;
  /** Where the resource's Store differs from the generic one; shared by the stores of its subresources. */
  readonly storeHooks?: StoreHooks<T>;
}

/** For code that handles every resource alike. */
export type AnyResourceDefinition = ResourceDefinition<KubeObject>;
