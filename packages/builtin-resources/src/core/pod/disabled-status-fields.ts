import type { ContainerStatus, PodStatus } from '@apiserver/api/core/v1';
import type { PodFeatures } from '../pod-spec/pod-features.js';

/**
 * Drops the fields of disabled features, unless the stored status has them. Mutates.
 * Upstream: dropDisabledPodStatusFields of pkg/api/pod/util.go, with the gate DRANodeAllocatableResources
 */
export function dropDisabledStatusFields(status: PodStatus, old: PodStatus, features: PodFeatures): void {
  if ((old.nodeAllocatableResourceClaimStatuses ?? []).length === 0) delete status.nodeAllocatableResourceClaimStatuses;
  if (features.ImageVolumeWithDigest || volumeMountsOf(old).some(({ volumeStatus }) => volumeStatus !== undefined))
    return;
  for (const mount of volumeMountsOf(status)) delete mount.volumeStatus;
}

function volumeMountsOf(status: PodStatus): NonNullable<ContainerStatus['volumeMounts']> {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return statuses.flatMap(({ volumeMounts }) => volumeMounts ?? []);
}
