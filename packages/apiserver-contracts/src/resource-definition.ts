import type { GroupVersionKind, KubeObject, TableColumnDefinition } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { RestStorage } from './rest.js';
import type { GenericStore, StoreHooks } from './store-hooks.js';
import type { Strategy } from './strategy.js';

/** The scope of a resource: its objects belong to namespaces, or to the cluster. */
export type ResourceScope = 'Namespaced' | 'Cluster';

/**
 * The time at which a row is shown. Cells can only print how long ago something was, so that a Table can keep a row and
 * print it again later.
 */
export interface RowTime {
  /**
   * The time since a point in time, as "4m10s". `milliseconds` are since the epoch. A cell contains this text
   * unchanged, and depends on it in no other way: it may be a mark, which each Table replaces.
   */
  since(milliseconds: number): string;
}

/** A printer column of Table. `cell` depends on nothing but its arguments. */
export interface Column<T extends KubeObject = KubeObject> extends TableColumnDefinition {
  /**
   * The field whose documentation describes the column, by OpenAPI definition and field name. `description` is ""
   * then, and looked up when a Table is made. Documentation is added by the build and is in no source file.
   */
  readonly describedBy?: { readonly definition: string; readonly field: string };
  /**
   * Rows have its cell, but the Table does not declare the column; needed where upstream's printer writes an extra
   * cell.
   */
  readonly undeclared?: true;
  cell(object: T, now: RowTime): unknown;
}

/** A condition of a Table row. */
export interface TableRowCondition {
  readonly type: 'Completed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** One served version of a resource, with its full GVK: a subresource may be of another group. */
export interface ResourceVersionDefinition<T extends KubeObject = KubeObject> {
  readonly version: string;
  readonly schema: KindSchema;
  /** Defaults that need code; run after the schema's own, on every decode and read from storage. Mutates. */
  applyDefaults?(object: T): void;
  /** Moves write-only and alias fields into their canonical ones (Secret.stringData, serviceAccount). Mutates. */
  normalize?(object: T): void;
  /** Converts to and from the hub version; absent if this is the hub. Must not change its argument. */
  toHub?(object: T): T;
  fromHub?(object: T): T;
  /** A custom warning for every request to a deprecated version. */
  readonly deprecationWarning?: string;
  /** Standard deprecation warning for every request, derived from the introduced and removed releases. */
  readonly deprecated?: { readonly since: string; readonly removed?: string; readonly replacement?: string };
}

/** A subresource that is stored with its parent (status, finalize) or computed from it (scale). */
export interface SubresourceDefinition<T extends KubeObject = KubeObject> {
  /** Its strategy over the same storage. */
  readonly strategy: Strategy<T>;
  /** The supported verbs; default: get, update, patch. */
  readonly verbs?: readonly string[];
  /** Kind of its objects if it differs from the resource's (Scale, Eviction); the same in every version. */
  readonly schema?: KindSchema;
  /** Defaults of that kind, set on every decoded body. Mutates. */
  applyDefaults?(object: KubeObject): void;
  /**
   * Further versions of that kind's group that a body may use; they must have the same fields.
   * Upstream: rest.GroupVersionAcceptor
   */
  readonly acceptsVersions?: readonly string[];
  /**
   * True if a body keeps uid and creationTimestamp, which are the parent's.
   * Upstream: rest.SubresourceObjectMetaPreserver
   */
  readonly preservesSystemFields?: boolean;
  /**
   * The columns of its responses; empty if it does not support Table. Default: the resource's columns if `schema` is
   * absent, otherwise none. Upstream: rest.TableConvertor
   */
  readonly columns?: readonly Column[];
  /**
   * Replaces the store over its strategy: computed from the parent (scale), or a verb on it (eviction). Receives the
   * parent's generic store, with the parent's own rules.
   */
  override?(parent: GenericStore<T>): RestStorage;
}

/**
 * The single declaration of a resource: routes, verbs, discovery, OpenAPI, Table, storage key and short names derive
 * from it. Built-in kinds declare it in code; a CustomResourceDefinition is converted to one at run time.
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
   * Versions that other definitions serve, or none. Managed fields, and stored bytes, may still be in these versions.
   * Default: none.
   */
  readonly otherVersions?: readonly ResourceVersionDefinition<T>[];
  readonly hubVersion: string;
  /**
   * The schema that decodes a body or a patched object of another kind or version, before it is refused. Default: that
   * of the version with this kind; other bodies are refused undecoded.
   */
  bodySchema?(kind: GroupVersionKind): KindSchema;
  /**
   * Converts an object to another version where only a webhook can. Managed fields need it for managers of other
   * versions. Rejects with a StatusError. Default: `toHub` and `fromHub` of the versions.
   */
  convert?(object: T, apiVersion: string): T | Promise<T>;
  /** Version in which objects are stored; may be one of `otherVersions`. */
  readonly storageVersion: string;
  /**
   * Version of the stored objects if it is converted to and from `storageVersion` below the Store. Discovery reports
   * it.
   */
  readonly convertedFrom?: string;
  /** True if the version of the stored objects is not served: discovery has no hash of it. Default: false. */
  readonly isStorageVersionUnserved?: boolean;
  /**
   * True if objects are always stored as JSON, regardless of `--storage-media-type`. Default: false.
   * Upstream: LegacyCodec in its StorageConfig
   */
  readonly isJsonAtRest?: boolean;
  /** Key prefix below the store's root, as upstream: "minions", "services/specs", "configmaps". */
  readonly keyPrefix: string;
  readonly strategy: Strategy<T>;
  /** Empty if the resource does not support Table. */
  readonly columns: readonly Column<T>[];
  /** True if an empty Table has no list of rows, but null. Upstream: NewDefaultTableConvertor. Default: false. */
  readonly emptyRowsAreNull?: boolean;
  /** Order of the rows of a Table of few objects. Default: that of the list. */
  compareRows?(a: T, b: T): number;
  /** Conditions of an object's row in a Table. Default: none. */
  rowConditions?(object: T): readonly TableRowCondition[];
  readonly subresources: Readonly<Record<string, SubresourceDefinition<T>>>;
  /** Verbs of the main resource; default: all verbs of the generic store. */
  readonly verbs: readonly string[];
  /** Verbs in discovery, if these are fewer than the supported ones. */
  readonly discoveryVerbs?: readonly string[];
  /**
   * The resource of another group that this one serves in other versions (events.k8s.io serves core Events). It uses
   * that resource's Store, rules, hub and stored objects. All versions convert to that hub, and columns receive its
   * objects.
   */
  readonly storedAs?: ResourceDefinition<T>;
  /** Values of fields that selectors support beyond metadata.name and metadata.namespace. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  /**
   * The paths of these fields in JSON, in ASCII, if they can be read from an object that has nothing else. Then a list
   * decodes no objects for them. Default: they cannot.
   */
  readonly selectablePaths?: readonly (readonly string[])[];
  /** Names of those fields, for refusing an unknown one before any object is read. */
  readonly selectableFieldNames: readonly string[];
  /**
   * False if selectors of a namespaced kind with such fields may not name metadata.namespace. Default: they may.
   * Upstream: AddFieldLabelConversionFunc
   */
  readonly selectsNamespace?: boolean;
  /**
   * The indexed field for lists and watches ("spec.nodeName"): a selectable field with a string in the hub's JSON.
   * Upstream: storage.IndexerFuncs
   */
  readonly indexedField?: string;
  /**
   * The error message for an unsupported field in a version, if the kind has a custom one.
   * Upstream: AddFieldLabelConversionFunc
   */
  unknownFieldText?(field: string, version: string): string;
  /** Maps the clients' field names to those in `selectableFields` if they differ (see `storedAs`). */
  readonly selectableFieldLabels?: Readonly<Record<string, string>>;
  /** DELETE returns the deleted object instead of a Status. Upstream: Store.ReturnDeletedObject */
  readonly returnDeletedObject: boolean;
  /**
   * The type of DELETE's response in OpenAPI, if it differs. A resource with a custom Store type returns the object,
   * but OpenAPI documents a Status. Upstream: rest.MayReturnFullObjectDeleter
   */
  readonly documentsDeletedObject?: boolean;
  /**
   * True if stored objects may violate the schema, because of an older schema or another writer. They are pruned,
   * repaired and defaulted when they are read. Never set for built-in kinds.
   */
  readonly mayBeOutdatedAtRest?: boolean;
  /** Customizes the resource's generic Store; shared by the stores of its subresources. */
  readonly storeHooks?: StoreHooks<T>;
}

/** For code that handles every resource in the same way. */
export type AnyResourceDefinition = ResourceDefinition<KubeObject>;
