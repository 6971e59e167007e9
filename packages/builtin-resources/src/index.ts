/** The built-in resources of Kubernetes, one folder each. */
export { type AuthenticationReviewOptions, authenticationGroup } from './authentication/index.js';
export type { TokenReviewOptions } from './authentication/token-review.js';
export { type AuthorizationReviewOptions, authorizationGroup } from './authorization/index.js';
export { type BuiltinGroupVersions, builtinGroupVersions } from './builtin-group-versions.js';
export { type BuiltinGroup, builtinGroups } from './builtin-groups.js';
export { configMaps } from './core/config-map/index.js';
export type { ConnectionMetrics, StreamCarrier } from './core/connect/connection-metrics.js';
export type { BackendObjectGetter, ConnectionOptions, KubeletClientConfig } from './core/connect/connections.js';
export { withConnections } from './core/connect/with-connections.js';
export { namespaces } from './core/namespace/index.js';
export { type EvictionOptions, withEviction } from './core/pod/eviction.js';
export { pods } from './core/pod/index.js';
export { bindings, installedBindings } from './core/pod/legacy-bindings.js';
export type { RetryPolicy } from './core/pod/retry-conflicts.js';
export {
  AllocationError,
  type ClusterIPAllocator,
  type IPFamily,
  isAllocationError,
  type NodePortAllocator,
  type ServiceAllocators,
  type ServiceReference,
} from './core/service/allocation/service-allocators.js';
export { type ServiceStoreOptions, withServiceAllocators } from './core/service/allocation/with-service-allocators.js';
export { services } from './core/service/index.js';
export { serviceAccounts } from './core/service-account/index.js';
export type { BoundObject, BoundObjectGetter, BoundPod } from './core/service-account/token/bound-objects.js';
export type { IssuedReference, IssueOrder, TokenIssuer } from './core/service-account/token/token-issuer.js';
export { type TokenRequestOptions, withTokenRequests } from './core/service-account/token/with-token-requests.js';
export { clusterRoles } from './rbac/cluster-role/index.js';
export { clusterRoleBindings } from './rbac/cluster-role-binding/index.js';
export { roles } from './rbac/role/index.js';
export { roleBindings } from './rbac/role-binding/index.js';
export { type EscalationCheck, withEscalationCheck } from './rbac/with-escalation-check.js';
export {
  type DeviceAccessOptions,
  withClaimAccess,
  withTemplateAccess,
} from './resource/access/with-device-access.js';
export { resourceClaims } from './resource/resource-claim/index.js';
export { resourceClaimTemplates } from './resource/resource-claim-template/index.js';
export {
  type SystemPriorityClass,
  systemPriorityClasses,
} from './scheduling/priority-class/system-priority-classes.js';
export { configuredDefinition, type ResourceSettings } from './settings/configured-definition.js';
