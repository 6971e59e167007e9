/**
 * Defaults (`type.field`) that no recorded object shows, each with its source. The recorded objects are random, and of a
 * server of 1.34.
 */
export const UNRECORDED_DEFAULTS: Readonly<Record<string, string>> = {
  'DeviceTaint.timeAdded': 'SetDefaults_DeviceTaint of pkg/apis/resource/v1/defaults.go',
  'DeviceToleration.operator': '+default in k8s.io/api/resource/v1/types.go',
  'DownwardAPIVolumeSource.defaultMode': 'SetDefaults_DownwardAPIVolumeSource of pkg/apis/core/v1/defaults.go',
  'FileKeySelector.optional': '+default in k8s.io/api/core/v1/types.go; EnvFiles was off in 1.34',
  'ImageVolumeSource.pullPolicy': 'SetDefaults_PodSpec of pkg/apis/core/v1/defaults.go; ImageVolume was off in 1.34',
  'NetworkPolicyPort.protocol': 'SetDefaults_NetworkPolicyPort of pkg/apis/networking/v1/defaults.go',
  'PodFailurePolicyOnPodConditionsPattern.status':
    'SetDefaults_PodFailurePolicyOnPodConditionsPattern of pkg/apis/batch/v1/defaults.go',
  'ServiceAccountTokenProjection.expirationSeconds':
    'SetDefaults_ServiceAccountTokenProjection of pkg/apis/core/v1/defaults.go',
};

/** Kinds without a printer of their own (`apiVersion/kind`). Upstream: AddHandlers of pkg/printers/internalversion/printers.go */
export const DEFAULT_TABLES: readonly string[] = [
  'v1/LimitRange',
  'rbac.authorization.k8s.io/v1/ClusterRole',
  'rbac.authorization.k8s.io/v1/Role',
];

/** Columns (`apiVersion/kind column`) that no recorded object fills: nothing is known of their cells but the empty form. */
export const UNFILLED_COLUMNS: readonly string[] = [
  ...['Roles', 'External-IP'].map((column) => `v1/Node ${column}`),
  ...['Volume', 'Capacity', 'Access Modes', 'StorageClass', 'VolumeAttributesClass'].map(
    (column) => `v1/PersistentVolumeClaim ${column}`,
  ),
  'v1/Pod Nominated Node',
  'v1/PodTemplate Images',
  ...['Request', 'Limit'].map((column) => `v1/ResourceQuota ${column}`),
  'v1/Service Selector',
  'apps/v1/ControllerRevision Controller',
  'autoscaling/v1/HorizontalPodAutoscaler Replicas',
  ...['Active', 'Selector'].map((column) => `batch/v1/CronJob ${column}`),
  'coordination.k8s.io/v1/Lease Holder',
  'networking.k8s.io/v1/IngressClass Controller',
  'networking.k8s.io/v1/NetworkPolicy Pod-Selector',
  'networking.k8s.io/v1/ServiceCIDR CIDRs',
  'policy/v1/PodDisruptionBudget Allowed Disruptions',
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding Groups',
  'resource.k8s.io/v1/ResourceSlice Node',
  'storage.k8s.io/v1/CSIDriver TokenRequests',
];
