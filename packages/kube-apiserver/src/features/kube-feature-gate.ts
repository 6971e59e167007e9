import { FeatureGate } from '@apiserver/component-base/feature-gates';
import { featureDependencies } from './feature-dependencies.js';
import { featuresElsewhere } from './features-elsewhere.js';
import { serverFeatures } from './server-features.js';

/** The release of this server: 1.36. */
const MINOR = 36;

/** Gates that can be switched. */
export const SWITCHABLE: ReadonlySet<string> = new Set([
  'APIResponseCompression',
  'APIServerIdentity',
  'APIServingWithRoutine',
  'AllowInsecureKubeletCertificateSigningRequests',
  'AllowParsingUserUIDFromCertAuth',
  'AllowServiceExternalIPs',
  'AllowUnsafeMalformedObjectDeletion',
  'AuthorizePodWebsocketUpgradeCreatePermission',
  'CBORServingAndStorage',
  'CRDObservedGenerationTracking',
  'ClearingNominatedNodeNameAfterBinding',
  'ClusterTrustBundle',
  'ClusterTrustBundleProjection',
  'ComponentFlagz',
  'ComponentStatusz',
  'ConcurrentWatchObjectDecode',
  'ConstrainedImpersonation',
  'ContainerRestartRules',
  'ContainerStopSignals',
  'CoordinatedLeaderElection',
  'CrossNamespaceVolumeDataSource',
  'DRAConsumableCapacity',
  'DRADeviceBindingConditions',
  'DRADeviceTaintRules',
  'DRADeviceTaints',
  'DRAExtendedResource',
  'DRAListTypeAttributes',
  'DRANodeAllocatableResources',
  'DRAPartitionableDevices',
  'DRAPrioritizedList',
  'DRAResourceClaimDeviceStatus',
  'DRAResourceClaimGranularStatusAuthorization',
  'DRAResourcePoolStatus',
  'DeclarativeValidationTakeover',
  'DeploymentReplicaSetTerminatingReplicas',
  'DetectCacheInconsistency',
  'EnvFiles',
  'ExtendWebSocketsToKubelet',
  'GenericWorkload',
  'HPAConfigurableTolerance',
  'HPAScaleToZero',
  'HostnameOverride',
  'ImageVolumeWithDigest',
  'InPlacePodLevelResourcesVerticalScaling',
  'ListFromCacheSnapshot',
  'ManifestBasedAdmissionControlConfig',
  'MatchLabelKeysInPodTopologySpread',
  'MatchLabelKeysInPodTopologySpreadSelectorMerge',
  'MaxUnavailableStatefulSet',
  'MutablePVNodeAffinity',
  'NativeHistograms',
  'NodeDeclaredFeatures',
  'OpenAPIEnums',
  'PodCertificateRequest',
  'PodDeletionCost',
  'PodLevelResources',
  'PodLogsQuerySplitStreams',
  'PodTopologyLabelsAdmission',
  'PortForwardWebsockets',
  'RelaxedServiceNameValidation',
  'RemoteRequestHeaderUID',
  'ResourceHealthStatus',
  'RestartAllContainersOnContainerExits',
  'SELinuxMount',
  'ServiceAccountNodeAudienceRestriction',
  'ServiceCIDRStatusFieldWiping',
  'ShardedListAndWatch',
  'SizeBasedListCostEstimate',
  'StorageNamespaceIndex',
  'StorageVersionAPI',
  'StorageVersionHash',
  'StorageVersionMigrator',
  'StrictIPCIDRValidation',
  'StructuredAuthenticationConfigurationEgressSelector',
  'StructuredAuthenticationConfigurationJWKSMetrics',
  'TaintTolerationComparisonOperators',
  'TokenRequestServiceAccountUIDValidation',
  'TopologyAwareWorkloadScheduling',
  'TranslateStreamCloseWebsocketRequests',
  'UnauthenticatedHTTP2DOSMitigation',
  'UnknownVersionInteroperabilityProxy',
  'UserNamespacesHostNetworkSupport',
  'WatchCacheInitializationPostStartHook',
  'WatchList',
]);

/**
 * Gates that cannot be switched, but go back to their state in an emulated release.
 * Upstream: SetEmulationVersion of k8s.io/component-base/featuregate
 */
export const FOLLOWING_EMULATION: ReadonlySet<string> = new Set([
  'InPlacePodVerticalScalingInitContainers',
  'MutablePodResourcesForSuspendedJobs',
  'MutableSchedulingDirectivesForSuspendedJobs',
  'MutatingAdmissionPolicy',
]);

/** All gates of Kubernetes 1.36, at their defaults. */
export function createKubeFeatureGate(): FeatureGate {
  const table = { ...featuresElsewhere, ...serverFeatures };
  return new FeatureGate({ table, minor: MINOR, dependencies: featureDependencies });
}

/**
 * Messages for gate values that are not supported: every gate of the server is fixed at its default, except the few
 * that can be switched.
 */
export function unbuiltFeatures(gate: FeatureGate): readonly string[] {
  const unbuilt = gate
    .states()
    .filter(({ name, enabled, default: byDefault }) => enabled !== byDefault && isFixed(name))
    .map(({ name, enabled }) => `${name}=${enabled}`);
  if (unbuilt.length === 0) return [];
  return [`--feature-gates: what these gates ask for is not built yet, leave them as they are: ${unbuilt.join(',')}`];
}

function isFixed(name: string): boolean {
  return Object.hasOwn(serverFeatures, name) && !SWITCHABLE.has(name);
}
