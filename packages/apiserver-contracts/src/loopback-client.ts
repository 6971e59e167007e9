import type {
  DeleteOptions,
  GroupVersionResource,
  KubeObject,
  ListOptions,
  UpdateOptions,
} from '@apiserver/apimachinery';
import type { StoredList } from './stored-object.js';
import type { WatchSource } from './watch.js';

/**
 * In-process code's way to the API: a call of the full handler chain as system:apiserver, without sockets and without
 * encoding where nobody needs bytes. Errors are the StatusErrors a client over the wire would get.
 */
export interface LoopbackClient {
  resource<T extends KubeObject>(resource: GroupVersionResource): ResourceClient<T>;
}

/**
 * The verbs on one resource. `namespace` is "" for cluster-scoped kinds and for lists and watches of all namespaces. What is answered
 * may be shared and frozen.
 */
export interface ResourceClient<T extends KubeObject> {
  get(namespace: string, name: string): Promise<T>;
  list(namespace: string, options?: ListOptions): Promise<StoredList<T>>;
  watch(namespace: string, options?: ListOptions): Promise<WatchSource<T>>;
  create(namespace: string, object: T): Promise<T>;
  update(namespace: string, object: T, options?: UpdateOptions & { readonly subresource?: string }): Promise<T>;
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<void>;
  /** Server-side apply: `object` has the fields that the manager wants, and no others. */
  apply(namespace: string, object: KubeObject, options: ApplyOptions): Promise<T>;
}

/** How a loopback client applies. Upstream: metav1.ApplyOptions */
export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes over what others manage. */
  readonly force?: boolean;
  readonly subresource?: string;
}

/** A local, always current view of one resource; shares the watch cache's frozen objects. */
export interface Informer<T extends KubeObject> extends AsyncDisposable {
  /** Resolves when the first list has been taken in. */
  synced(signal?: AbortSignal): Promise<void>;
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): readonly T[];
  /** Handlers are called in order, after the view has changed. Answers a function that takes them off. */
  subscribe(handlers: {
    added?(object: T): void;
    updated?(object: T, old: T): void;
    deleted?(object: T): void;
  }): () => void;
}
