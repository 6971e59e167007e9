/** Converts ResourceDefinitions and REST verbs to routes, and errors to responses. */
export { hasManyValues } from './body/body-values.js';
export { type ApiContainer, type ApiContainerOptions, createApiContainer } from './container/api-container.js';
export { createCodecCache } from './container/create-scope.js';
export { type InstalledView, mergedContainers } from './container/merged-containers.js';
export {
  aggregatedDiscovery,
  type DiscoveryPriority,
  defaultDiscoveryPriority,
  type PriorityOf,
} from './discovery/aggregated-discovery.js';
export { createDiscovery, type Discovery, type DiscoveryOptions } from './discovery/create-discovery.js';
export {
  type AddressRule,
  createDiscoveryAddresses,
  type DiscoveryAddresses,
} from './discovery/discovery-addresses.js';
export {
  createCodecs as createDiscoveryCodecs,
  createDocument as createDiscoveryDocument,
  type DiscoveryDocument,
} from './discovery/discovery-document.js';
export { compareKubeAwareVersions } from './discovery/kube-aware-version.js';
export {
  negotiateAggregated,
  respondAggregated,
  respondDocument,
  WITHOUT_PEERS,
} from './discovery/respond-document.js';
export { type ServedGroup, type ServedVersion, servedGroups } from './discovery/served-group.js';
export { storageVersionHash } from './discovery/storage-version-hash.js';
export { ADMISSION_ANNOTATIONS, type AdmissionAnnotation } from './handlers/admission-annotations.js';
export { watchErrorFrame } from './handlers/watch-frames.js';
export { checkRouteAccept, checkRouteContentType } from './negotiation/check-route-accept.js';
export type { MediaType } from './negotiation/media-types.js';
export {
  isPretty,
  negotiateOutput,
  notAcceptable,
  type OutputMediaType,
  type OutputRestrictions,
  plainOutputOnly,
  type TransformTarget,
} from './negotiation/negotiate-output.js';
export { type AcceptClause, parseAccept } from './negotiation/parse-accept.js';
export { createOpenApi, type OpenApi } from './openapi/create-open-api.js';
export type { NamedRemoteSpec, OpenApiOptions, RemoteOpenApiDocuments } from './openapi/open-api-options.js';
export type { ConvertedSpec, ConvertedSpecOptions } from './openapi/remote/convert-remote-spec.js';
export { loadRemoteSpecConverter, loadRemoteSpecReader } from './openapi/remote/load-remote-spec-reader.js';
export type { RemotePart, RemoteSpec } from './openapi/remote/remote-spec.js';
export { type RequestInfoInput, resolveRequestInfo } from './request-info.js';
export { forbiddenError } from './responses/forbidden-error.js';
export { respondError, respondErrorInTurns, respondStatus } from './responses/respond-error.js';
export type { EndpointFeatures } from './scope/endpoint-features.js';
export type { BodyVerb, DeprecatedApi, EndpointMetrics, PostTimeoutObserver } from './scope/endpoint-metrics.js';
export { noteWait, totalWait } from './scope/request-waits.js';
