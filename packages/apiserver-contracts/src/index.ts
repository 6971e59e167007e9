/** The interfaces between packages: types, their simplest values, and the few names that the protocol defines. */
export type {
  AdmissionAttributes,
  AdmissionChain,
  AdmissionEndpoint,
  AdmissionOperation,
  AdmissionPlugin,
  AnnotationLevel,
  Reinvocation,
} from './admission.js';
export type { APIGroupInfo, InstalledResource } from './api-group-info.js';
export type { AuditedJson, AuditedLayer, RequestAudit } from './audit.js';
export type { AuthenticationResponse, Authenticator, TokenAuthenticator, TokenRecorder } from './authentication.js';
export { legacyTokenLabels } from './authentication.js';
export type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  Decision,
  NonResourceRuleInfo,
  ResourceRuleInfo,
  RuleResolver,
} from './authorization.js';
export type { ResourceAccess } from './authorization-attributes.js';
export { isReadOnlyVerb, pathAttributes, requestAttributes, resourceAttributes } from './authorization-attributes.js';
export type {
  ApiRequest,
  ApiResponse,
  BytesResponse,
  ChunksResponse,
  Exchange,
  ExchangeOutcome,
  Filter,
  Handler,
  PeerCertificates,
  RequestHeaders,
  ResponseHeaders,
  ResponseWriter,
  StreamResponse,
  UpgradeResponse,
  UpgradeSocket,
  ValueResponse,
} from './exchange.js';
export type { FeatureGates } from './feature-gates.js';
export { loadedObject, loadedObjects, whenLoaded } from './loaded-object.js';
export type { LogFields, Logger } from './logger.js';
export { silentLogger } from './logger.js';
export type { ApplyOptions, Informer, LoopbackClient, ObjectPatch, ResourceClient } from './loopback-client.js';
export type { WorkObserver, WorkPart } from './observed-work.js';
export { currentSpan, inSpan, observed, timed, unobserved, workObserver } from './observed-work.js';
export type { RequestContext, RequestWaits, WarningRecorder } from './request-context.js';
export type { RequestInfo } from './request-info.js';
export type { EndpointVersion, RequestScope } from './request-scope.js';
export type {
  AnyResourceDefinition,
  Column,
  ResourceDefinition,
  ResourceScope,
  ResourceVersionDefinition,
  RowTime,
  SubresourceDefinition,
  TableRowCondition,
} from './resource-definition.js';
export type {
  ByteStream,
  CollectionDeleter,
  ConnectEndpoint,
  Connecter,
  CorruptObjectDeleter,
  Creater,
  Getter,
  GracefulDeleter,
  Lister,
  ObjectVerbs,
  ParsedListOptions,
  RestStorage,
  StreamEndpoint,
  StreamGetter,
  UpdatedObjectInfo,
  UpdateRequest,
  Updater,
  ValidateObject,
  ValidateObjectUpdate,
  VerbContext,
  Watcher,
} from './rest.js';
export type {
  ObjectStats,
  ReadRequirement,
  ShardSelector,
  Storage,
  StorageErrorCode,
  StorageErrorLike,
  StorageListOptions,
  StoragePreconditions,
  StorageWatchOptions,
  UpdateInput,
  WriteOptions,
} from './storage.js';
export type { FinishHook, GenericStore, StoreHooks } from './store-hooks.js';
export type { CompressedRun, ListRun, StoredList, StoredObject, WireForm } from './stored-object.js';
export type { CreateStrategy, DeleteStrategy, Strategy, UpdateStrategy } from './strategy.js';
export type { SpanType, TraceAttributes, TracedRequest, Tracer, TraceSpan } from './tracing.js';
export { tracedAuditId } from './tracing.js';
export type { ShownUser, UserInfo } from './user-info.js';
export { nodeNameOf, shownUser, wellKnownGroups, wellKnownUsers } from './user-info.js';
export type { WatchEvent, WatchEventType, WatchSink, WatchSource } from './watch.js';
