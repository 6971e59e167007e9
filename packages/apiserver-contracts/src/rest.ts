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
import type { ApiResponse, Exchange } from './exchange.js';
import type { WarningRecorder } from './request-context.js';
import type { RequestInfo } from './request-info.js';
import type { StoredList, StoredObject } from './stored-object.js';
import type { UserInfo } from './user-info.js';
import type { WatchSource } from './watch.js';

/** What a verb knows of the request it serves. Controllers and the loopback client make one too. */
export interface VerbContext {
  /** "" for cluster-scoped kinds and for lists across all namespaces. */
  readonly namespace: string;
  readonly user: UserInfo | undefined;
  readonly requestInfo: RequestInfo | undefined;
  readonly warnings: WarningRecorder;
  readonly signal: AbortSignal;
  /**
   * Ends the turn of the event loop: called between the steps of work on a large object. Undefined: the request is small, and
   * all is done at once. Set by whoever finds out that something large is worked on.
   */
  giveWay?: (() => Promise<void>) | undefined;
}

/** Runs validating admission on what is about to be stored; throws to refuse. The argument must not be changed. */
export type ValidateObject<T extends KubeObject> = (object: T) => Promise<void> | void;
/** The same of an update; `old` is what is stored, and must not be changed either. */
export type ValidateObjectUpdate<T extends KubeObject> = (object: T, old: T) => Promise<void> | void;

/**
 * Where an update gets its new object from: called again with the newer old object whenever the store was changed meanwhile.
 * Upstream: rest.UpdatedObjectInfo
 */
export interface UpdatedObjectInfo<T extends KubeObject> {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** `old` is undefined when the name does not exist. Answers a fresh, mutable object. May throw a StatusError. */
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
  /** In the order of keys, at most `limit` with a token to go on by. Throws 410 for a version or a token that is too old. */
  list(context: VerbContext, options: ParsedListOptions): Promise<StoredList<T>>;
}

/** GET with `watch`. Upstream: rest.Watcher */
export interface Watcher<T extends KubeObject = KubeObject> {
  /** Refuses (throws) what can be refused before the response starts; an expired version ends the sink with 410. */
  watch(context: VerbContext, options: ParsedListOptions): Promise<WatchSource<T>>;
}

/** POST. Upstream: rest.Creater, under the name it has there */
export interface Creater<T extends KubeObject = KubeObject> {
  /**
   * Takes over `object` and may change it. What is an order rather than an object (a binding, an eviction) is answered
   * with a successful Status, typed as the object that it is not.
   */
  create(
    context: VerbContext,
    object: T,
    validate: ValidateObject<T>,
    options: CreateOptions,
  ): Promise<StoredObject<T>>;
}

/** What an update wants: of PUT, of every kind of PATCH, and of in-process callers. */
export interface UpdateRequest<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly objectInfo: UpdatedObjectInfo<T>;
  validateCreate(object: T): Promise<void> | void;
  validateUpdate(object: T, old: T): Promise<void> | void;
  /** Create even if the strategy does not allow create on update (server-side apply). */
  readonly forceAllowCreate: boolean;
  readonly options: UpdateOptions;
}

/** PUT and PATCH. Upstream: rest.Updater */
export interface Updater<T extends KubeObject = KubeObject> {
  /** Throws 404 where nothing is stored and nothing may be created, 409 for a precondition that does not hold, 422 for faults. */
  update(
    context: VerbContext,
    request: UpdateRequest<T>,
  ): Promise<{ readonly stored: StoredObject<T>; readonly created: boolean }>;
}

/** DELETE of one object. Upstream: rest.GracefulDeleter */
export interface GracefulDeleter<T extends KubeObject = KubeObject> {
  /** `deleted` false: deletion was only started (finalizers, grace period). */
  delete(
    context: VerbContext,
    name: string,
    validate: ValidateObject<T>,
    options: DeleteOptions,
  ): Promise<{ readonly stored: StoredObject<T>; readonly deleted: boolean }>;
}

/** DELETE of an object that cannot be read. Upstream: rest.CorruptObjectDeleterProvider */
export interface CorruptObjectDeleter {
  /** `deleted` false: it was gone already. Throws a 422 for an object that can be read. */
  deleteCorrupt(context: VerbContext, name: string): Promise<{ readonly deleted: boolean }>;
}

/** DELETE of a collection. Upstream: rest.CollectionDeleter */
export interface CollectionDeleter<T extends KubeObject = KubeObject> {
  /** Deletes what the list finds, and answers it. Not atomic: after an error some are deleted and some are not. */
  deleteCollection(
    context: VerbContext,
    validate: ValidateObject<T>,
    options: DeleteOptions,
    listOptions: ParsedListOptions,
  ): Promise<StoredList<T>>;
}

/**
 * A subresource that is a way to something else: a process, a port, another server. `O` is the type of its options.
 * Upstream: rest.Connecter
 */
export interface ConnectEndpoint<O extends object = object> {
  /** The HTTP methods that it takes, in capitals. */
  readonly methods: readonly string[];
  /** The option that the path behind the subresource becomes, slash in front; absent: nothing may stand there. */
  readonly pathOption?: string;
  /** `options` come from the query and are those of the subresource's schema. */
  connect(context: VerbContext, name: string, options: O, exchange: Exchange): Promise<ApiResponse>;
}

/** Has a subresource that is a way to something else. Upstream: rest.Connecter */
export interface Connecter {
  readonly connecter: ConnectEndpoint;
}

/** What a subresource that is a stream of bytes answers: `content` undefined for none. */
export interface ByteStream {
  readonly content: AsyncIterable<Uint8Array> | undefined;
  readonly contentType: string;
}

/**
 * A subresource that is read as a stream of bytes (a log). `O` is the type of its options.
 * Upstream: rest.GetterWithOptions of what answers a rest.ResourceStreamer
 */
export interface StreamEndpoint<O extends object = object> {
  /** What the query is decoded to. */
  readonly optionsSchema: KindSchema<O>;
  open(context: VerbContext, name: string, options: O): Promise<ByteStream>;
}

/** Has a subresource that is read as a stream. Upstream: rest.GetterWithOptions */
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
 * What stands behind an endpoint. The installer looks at which members are there and offers just those verbs.
 * A hand-made resource (a review, say) implements Creater alone.
 * Upstream: k8s.io/apiserver/pkg/registry/rest
 */
export interface RestStorage<T extends KubeObject = KubeObject>
  extends Partial<ObjectVerbs<T>>,
    Partial<Connecter>,
    Partial<StreamGetter> {}
