import type {
  CreateOptions,
  DeleteOptions,
  GetOptions,
  KubeObject,
  ListOptions,
  UpdateOptions,
} from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { FieldSelector, LabelSelector } from '@apiserver/apimachinery/selectors';
import type { RequestAudit } from './audit.js';
import type { ApiResponse, Exchange } from './exchange.js';
import type { WarningRecorder } from './request-context.js';
import type { RequestInfo } from './request-info.js';
import type { StoredList, StoredObject } from './stored-object.js';
import type { UserInfo } from './user-info.js';
import type { WatchSource } from './watch.js';

/** The request of a verb. Controllers and the loopback client make one too. */
export interface VerbContext {
  /** "" for cluster-scoped kinds, and for lists of all namespaces. */
  readonly namespace: string;
  readonly user: UserInfo | undefined;
  readonly requestInfo: RequestInfo | undefined;
  readonly warnings: WarningRecorder;
  /** Undefined if the request is not audited, or comes from this process. */
  readonly audit?: RequestAudit | undefined;
  readonly signal: AbortSignal;
  /**
   * Yields to the event loop; called between steps of work on a large object. Undefined if the request is small and
   * the work needs no yield. Set by the first code that detects a large object.
   */
  yieldToEventLoop?: (() => Promise<void>) | undefined;
  /** True if the response to a write is made from the value of the stored object, not from its JSON. */
  readonly readsResult?: boolean;
}

/** Runs validating admission on an object before it is stored; throws to refuse. Must not change the object. */
export type ValidateObject<T extends KubeObject> = (object: T) => Promise<void> | void;
/** The same for an update; `old` is the stored object, which must not change either. */
export type ValidateObjectUpdate<T extends KubeObject> = (object: T, old: T) => Promise<void> | void;

/**
 * Produces the new object of an update. Called again with the latest stored object after a concurrent write.
 * Upstream: rest.UpdatedObjectInfo
 */
export interface UpdatedObjectInfo<T extends KubeObject> {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** `old` is undefined if the object does not exist. Returns a new, mutable object. May throw a StatusError. */
  updatedObject(context: VerbContext, old: T | undefined): Promise<T> | T;
}

/** ListOptions with selectors parsed and validated. */
export interface ParsedListOptions extends Omit<ListOptions, 'labelSelector' | 'fieldSelector'> {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
}

/** GET of one object. Upstream: rest.Getter */
export interface Getter<T extends KubeObject = KubeObject> {
  /** Throws 404 for an unknown name. */
  get(context: VerbContext, name: string, options: GetOptions): Promise<StoredObject<T>>;
}

/** GET of a collection. Upstream: rest.Lister */
export interface Lister<T extends KubeObject = KubeObject> {
  /** In key order, at most `limit` objects and a token to continue. Throws 410 for an expired version or token. */
  list(context: VerbContext, options: ParsedListOptions): Promise<StoredList<T>>;
}

/** GET with `watch`. Upstream: rest.Watcher */
export interface Watcher<T extends KubeObject = KubeObject> {
  /** Throws every refusal before the response starts. An expired version ends the sink with 410. */
  watch(context: VerbContext, options: ParsedListOptions): Promise<WatchSource<T>>;
}

/** POST. Upstream: rest.Creater */
export interface Creater<T extends KubeObject = KubeObject> {
  /**
   * Takes ownership of `object` and may change it. An action (a binding, an eviction) returns a successful Status,
   * cast to the object's type.
   */
  create(
    context: VerbContext,
    object: T,
    validate: ValidateObject<T>,
    options: CreateOptions,
  ): Promise<StoredObject<T>>;
}

/** The update of a PUT, any PATCH, or an in-process caller. */
export interface UpdateRequest<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly objectInfo: UpdatedObjectInfo<T>;
  validateCreate(object: T): Promise<void> | void;
  validateUpdate(object: T, old: T): Promise<void> | void;
  /** Create the object even if the strategy does not allow create on update (server-side apply). */
  readonly forceAllowCreate: boolean;
  readonly options: UpdateOptions;
}

/** PUT and PATCH. Upstream: rest.Updater */
export interface Updater<T extends KubeObject = KubeObject> {
  /**
   * Throws 404 if the object does not exist and may not be created, 409 for a failed precondition, 422 for validation
   * errors.
   */
  update(
    context: VerbContext,
    request: UpdateRequest<T>,
  ): Promise<{ readonly stored: StoredObject<T>; readonly created: boolean }>;
}

/** DELETE of one object. Upstream: rest.GracefulDeleter */
export interface GracefulDeleter<T extends KubeObject = KubeObject> {
  /** `deleted` is false if deletion has only started (finalizers, grace period). */
  delete(
    context: VerbContext,
    name: string,
    validate: ValidateObject<T>,
    options: DeleteOptions,
  ): Promise<{ readonly stored: StoredObject<T>; readonly deleted: boolean }>;
}

/** DELETE of an unreadable object. Upstream: rest.CorruptObjectDeleterProvider */
export interface CorruptObjectDeleter {
  /** `deleted` is false if the object did not exist. Throws 422 for a readable object. */
  deleteCorrupt(context: VerbContext, name: string): Promise<{ readonly deleted: boolean }>;
}

/** DELETE of a collection. Upstream: rest.CollectionDeleter */
export interface CollectionDeleter<T extends KubeObject = KubeObject> {
  /** Deletes the listed objects and returns them. Not atomic: after an error, some are deleted and some are not. */
  deleteCollection(
    context: VerbContext,
    validate: ValidateObject<T>,
    options: DeleteOptions,
    listOptions: ParsedListOptions,
  ): Promise<StoredList<T>>;
}

/**
 * A subresource that connects to another endpoint: a process, a port, a server. `O` is the type of its options.
 * Upstream: rest.Connecter
 */
export interface ConnectEndpoint<O extends object = object> {
  /** The supported HTTP methods, in upper case. */
  readonly methods: readonly string[];
  /** The option that receives the path after the subresource, with a leading slash. If absent, no path may follow. */
  readonly pathOption?: string;
  /** `options` are decoded from the query by the subresource's schema. */
  connect(context: VerbContext, name: string, options: O, exchange: Exchange): Promise<ApiResponse>;
}

/** Has a connect subresource. Upstream: rest.Connecter */
export interface Connecter {
  readonly connecter: ConnectEndpoint;
}

/** The response of a byte stream subresource; `content` is undefined if there is none. */
export interface ByteStream {
  readonly content: AsyncIterable<Uint8Array> | undefined;
  readonly contentType: string;
}

/**
 * A subresource that is read as a byte stream (a log). `O` is the type of its options.
 * Upstream: rest.GetterWithOptions whose result is a rest.ResourceStreamer
 */
export interface StreamEndpoint<O extends object = object> {
  /** The schema of the query. */
  readonly optionsSchema: KindSchema<O>;
  open(context: VerbContext, name: string, options: O): Promise<ByteStream>;
}

/** Has a byte stream subresource. Upstream: rest.GetterWithOptions */
export interface StreamGetter {
  readonly streamer: StreamEndpoint;
}

/** Every verb on objects. */
export interface ObjectVerbs<T extends KubeObject = KubeObject>
  extends Getter<T>,
    Lister<T>,
    Watcher<T>,
    Creater<T>,
    Updater<T>,
    GracefulDeleter<T>,
    CorruptObjectDeleter,
    CollectionDeleter<T> {}

/**
 * The storage of an endpoint. The installer offers exactly the verbs whose members exist. A custom one (such as a
 * review) implements only Creater.
 * Upstream: k8s.io/apiserver/pkg/registry/rest
 */
export interface RestStorage<T extends KubeObject = KubeObject>
  extends Partial<ObjectVerbs<T>>,
    Partial<Connecter>,
    Partial<StreamGetter> {}
