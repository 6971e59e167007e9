/** The built-in resources of Kubernetes, one folder each. */
export type { ParamAccessOptions } from './admissionregistration/access/param-access.js';
export { admissionManifestKinds } from './admissionregistration/manifest-kinds.js';
export type { KindsOf } from './admissionregistration/type-checking/kinds-to-check.js';
export type { OpenApiDocument } from './admissionregistration/type-checking/open-api-types.js';
export { PolicyTypeChecker, type ServedTypes } from './admissionregistration/type-checking/policy-type-checker.js';
export { type AuthenticationReviewOptions, authenticationGroup } from './authentication/index.js';
export type { TokenReviewOptions } from './authentication/token-review.js';
export { type AuthorizationReviewOptions, authorizationGroup } from './authorization/index.js';
export type { GroupDependencies, InstallResource } from './builtin-group.js';
export { type BuiltinGroupName, type BuiltinGroupVersions, builtinGroupVersions } from './builtin-group-versions.js';
export { type BuiltinGroupDependencies, builtinGroups } from './builtin-groups.js';
export { OLDEST_EMULATION_VERSION } from './coordination/coordinated-strategy.js';
export { configMaps } from './core/config-map/index.js';
export type { BackendObjectGetter, ConnectionOptions, KubeletClientConfig } from './core/connect/connections.js';
export { createConnectionMetrics } from './core/connect/create-connection-metrics.js';
export { namespaces } from './core/namespace/index.js';
export type { EvictionOptions } from './core/pod/eviction.js';
export type { RetryPolicy } from './core/pod/retry-conflicts.js';
export { DEFAULT_POD_FEATURES, podFeatures } from './core/pod-spec/pod-features.js';
export type { ContainerPolicy } from './core/pod-spec/security/container-policy.js';
export {
  AllocationError,
  type AllocationOptions,
  type ClusterIPAllocator,
  type IPFamily,
  isAllocationError,
  type NodePortAllocator,
  type ServiceAllocators,
  type ServiceReference,
} from './core/service/allocation/service-allocators.js';
export type { ServiceStoreOptions } from './core/service/allocation/with-service-allocators.js';
export type { BoundObject, BoundObjectGetter, BoundPod } from './core/service-account/token/bound-objects.js';
export type {
  IssuedReference,
  IssuedToken,
  IssueOrder,
  TokenIssuer,
} from './core/service-account/token/token-issuer.js';
export type { TokenRequestOptions } from './core/service-account/token/with-token-requests.js';
export { clusterRoleDeclaration } from './rbac/cluster-role/index.js';
export { clusterRoleBindingDeclaration } from './rbac/cluster-role-binding/index.js';
export { roleDeclaration } from './rbac/role/index.js';
export { roleBindingDeclaration } from './rbac/role-binding/index.js';
export type { EscalationCheck } from './rbac/with-escalation-check.js';
export type { DeviceAccessOptions } from './resource/access/with-device-access.js';
export {
  type SystemPriorityClass,
  systemPriorityClasses,
} from './scheduling/priority-class/system-priority-classes.js';
