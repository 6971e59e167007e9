import type { FeatureGates } from '@apiserver/apiserver-contracts';

/** Gates of the fields and rules of pods, with their defaults at 1.36. Upstream: pkg/features/kube_features.go */
const DEFAULTS = {
  ClearingNominatedNodeNameAfterBinding: true,
  ClusterTrustBundleProjection: false,
  ContainerRestartRules: true,
  ContainerStopSignals: false,
  DRAExtendedResource: true,
  DRANodeAllocatableResources: false,
  EnvFiles: true,
  GenericWorkload: false,
  HostnameOverride: true,
  ImageVolumeWithDigest: false,
  InPlacePodLevelResourcesVerticalScaling: true,
  InPlacePodVerticalScalingInitContainers: true,
  MatchLabelKeysInPodTopologySpread: true,
  MatchLabelKeysInPodTopologySpreadSelectorMerge: true,
  MutablePodResourcesForSuspendedJobs: true,
  MutableSchedulingDirectivesForSuspendedJobs: true,
  PodCertificateRequest: false,
  PodDeletionCost: true,
  PodLevelResources: true,
  PodTopologyLabelsAdmission: true,
  ResourceHealthStatus: true,
  RestartAllContainersOnContainerExits: true,
  SELinuxMount: false,
  StrictIPCIDRValidation: true,
  TaintTolerationComparisonOperators: false,
  UserNamespacesHostNetworkSupport: false,
};

/**
 * Enabled features of the pods of one server, by upstream's names. They are read once, when its strategies are made.
 */
export type PodFeatures = Readonly<Record<keyof typeof DEFAULTS, boolean>>;

/** The features of a server with default gates. */
export const DEFAULT_POD_FEATURES: PodFeatures = DEFAULTS;

const NAMES = Object.keys(DEFAULTS) as readonly (keyof PodFeatures)[];

/** Reads the features of pods from the gates of a server. */
export function podFeatures(gates: FeatureGates): PodFeatures {
  const features = { ...DEFAULTS };
  for (const name of NAMES) features[name] = gates.enabled(name);
  return features;
}
