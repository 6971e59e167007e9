import type {
  CreateOptions,
  DeleteOptions,
  GroupVersionResource,
  KubeObject,
  ListOptions,
  UpdateOptions,
} from '@apiserver/apimachinery';
import type { StoredList } from './stored-object.js';
import type { WatchSource } from './watch.js';

/**
 * Access to the API for in-process code. Calls run the full handler chain as system:apiserver, without sockets, and
 * without encoding unless bytes are required. Errors are the same StatusErrors as over the network.
 */
export interface LoopbackClient {
  resource<T extends KubeObject>(resource: GroupVersionResource): ResourceClient<T>;
}

/**
 * The verbs of one resource. `namespace` is "" for cluster-scoped kinds, and for lists and watches of all namespaces.
 * Returned objects may be shared and frozen.
 */
export interface ResourceClient<T extends KubeObject> {
  readonly resource: GroupVersionResource;
  /** True if a watch can begin with the present objects: `sendInitialEvents`. Default: false. */
  readonly streamsLists?: boolean;
  get(namespace: string, name: string): Promise<T>;
  list(namespace: string, options?: ListOptions): Promise<StoredList<T>>;
  watch(namespace: string, options?: ListOptions): Promise<WatchSource<T>>;
  create(namespace: string, object: T, options?: CreateOptions): Promise<T>;
  update(namespace: string, object: T, options?: UpdateOptions & { readonly subresource?: string }): Promise<T>;
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<void>;
  /** Deletes the objects that `list` selects; all of the namespace by default. */
  deleteCollection(namespace: string, options?: DeleteOptions, list?: ListOptions): Promise<void>;
  /** Custom resources take no strategic merge patch. */
  patch(namespace: string, name: string, patch: ObjectPatch): Promise<T>;
  /** Server-side apply: `object` has exactly the fields that the manager owns. */
  apply(namespace: string, object: KubeObject, options: ApplyOptions): Promise<T>;
}

/** A patch of an object. `type` is the name of a patch's media type, such as "merge" or "strategic-merge". */
export interface ObjectPatch {
  readonly type: 'json' | 'merge' | 'strategic-merge';
  /** The document, decoded. */
  readonly body: unknown;
  readonly subresource?: string;
}

/** Options of apply. Upstream: metav1.ApplyOptions */
export interface ApplyOptions {
  readonly fieldManager: string;
  /** Take over the fields of other managers. */
  readonly force?: boolean;
  readonly subresource?: string;
}

/** A local view of one resource that follows all changes; shares the watch cache's frozen objects. */
export interface Informer<T extends KubeObject> extends AsyncDisposable {
  /** Resolves when the first list is complete. */
  synced(signal?: AbortSignal): Promise<void>;
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): readonly T[];
  /** Handlers run in order, after the view has changed. Returns a function that unsubscribes them. */
  subscribe(handlers: {
    added?(object: T): void;
    updated?(object: T, old: T): void;
    deleted?(object: T): void;
  }): () => void;
}
