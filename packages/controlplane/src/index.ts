/** The controllers that kube-apiserver runs beside its APIs. */

export type { AuthenticationInfo, RequestHeaderInfo } from './cluster-authentication/authentication-info.js';
export {
  type ClusterAuthenticationOptions,
  clusterAuthenticationController,
} from './cluster-authentication/cluster-authentication-controller.js';
export type { ControllerContext, ControllerHook } from './controller-hook.js';
export {
  type DefaultServiceCIDROptions,
  defaultServiceCIDRController,
} from './default-service-cidr/default-service-cidr-controller.js';
export { coreEvents, seriesEvents } from './events/event-forms.js';
export {
  createEventRecorder,
  type EventForm,
  type EventRecorder,
  type EventRecorderOptions,
} from './events/event-recorder.js';
export { type FirstObject, firstObjectMarks, recordFirstObjects } from './first-objects/first-objects.js';
export {
  type FirstObjectsOutcome,
  readFirstObjects,
  storeFirstObjects,
} from './first-objects/store-first-objects.js';
export { consumeFlowControl, type FlowControlConsumerOptions } from './flow-control/config-consumer.js';
export { type FlowControlProducerOptions, flowControlProducer } from './flow-control/config-producer.js';
export { apiServerID } from './identity-lease/api-server-id.js';
export {
  type IdentityLeaseOptions,
  identityLeaseController,
  identityLeaseGarbageCollector,
} from './identity-lease/identity-lease-controller.js';
export { type EndpointReconciler, noneReconciler } from './kubernetes-service/endpoint-reconciler.js';
export { EndpointsAdapter } from './kubernetes-service/endpoints-adapter.js';
export {
  type KubernetesServiceController,
  type KubernetesServiceOptions,
  kubernetesServiceController,
} from './kubernetes-service/kubernetes-service-controller.js';
export { leaseReconciler } from './kubernetes-service/lease-reconciler.js';
export { masterCountReconciler } from './kubernetes-service/master-count-reconciler.js';
export { type MasterLeases, masterLeaseStorage, storedMasterLeases } from './kubernetes-service/master-leases.js';
export {
  LEASE_CANDIDATES,
  type LeaderElectionController,
  type LeaderElectionOptions,
  leaderElectionController,
} from './leader-election/leader-election-controller.js';
export { LeaderLease, type LeaderLeaseOptions } from './leader-election/leader-lease.js';
export {
  type LeaderElectionTimers,
  type LeadingOptions,
  runWhileLeading,
} from './leader-election/run-while-leading.js';
export { LEASES } from './leases.js';
export {
  LEGACY_TOKEN_TRACKING,
  type LegacyTokenTrackingOptions,
  legacyTokenTrackingController,
} from './legacy-token-tracking/legacy-token-tracking-controller.js';
export { createNodePortMetrics } from './node-port-allocator/create-node-port-metrics.js';
export { ServiceNodePortAllocator } from './node-port-allocator/node-port-allocator.js';
export { formatPortRange, type PortRange, parsePortRange } from './node-port-allocator/port-range.js';
export { portRangeStorage } from './node-port-allocator/stored-port-range.js';
export {
  type PeerEndpointController,
  type PeerEndpointOptions,
  peerEndpointController,
} from './peer-leases/peer-endpoint-controller.js';
export {
  type PeerEndpoint,
  type PeerEndpointLeases,
  peerLeaseStorage,
  storedPeerEndpointLeases,
} from './peer-leases/peer-endpoint-leases.js';
export { type PolicyStatusOptions, runPolicyStatus } from './policy-status/policy-status-controller.js';
export {
  createServiceAllocators,
  type ServerServiceAllocators,
  type ServiceAllocatorsOptions,
} from './service-allocation/create-service-allocators.js';
export {
  type ServiceAllocationControllerOptions,
  serviceAllocationController,
} from './service-allocation/service-allocation-controller.js';
export { createClusterIPMetrics } from './service-ip-allocator/create-cluster-ip-metrics.js';
export type { IPAddresses } from './service-ip-allocator/ip-addresses.js';
export { addressAt, type IPRange, parseIPRange, rangeSize } from './service-ip-allocator/ip-range.js';
export { ServiceIPAllocator } from './service-ip-allocator/service-ip-allocator.js';
export { storageVersionHook } from './storage-versions/storage-version-hook.js';
export {
  StorageVersionManager,
  type StorageVersionManagerOptions,
} from './storage-versions/storage-version-manager.js';
export type { StoredResource } from './storage-versions/stored-resource.js';
export {
  type HookContext,
  type SystemNamespacesHook,
  type SystemNamespacesOptions,
  systemNamespacesController,
} from './system-namespaces/system-namespaces-controller.js';
export {
  type SystemPriorityClassesOptions,
  systemPriorityClassesHook,
  type WantedPriorityClass,
} from './system-priority-classes/system-priority-classes-hook.js';
