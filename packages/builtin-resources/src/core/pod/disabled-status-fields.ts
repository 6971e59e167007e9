import type { ContainerStatus, PodStatus } from '@apiserver/api/core/v1';

/**
 * Drops the fields of features that are off at 1.36, unless the stored status has them. Mutates.
 * Upstream: dropDisabledPodStatusFields of pkg/api/pod/util.go, with the gates ImageVolumeWithDigest and
 * DRANodeAllocatableResources
 */
export function dropDisabledStatusFields(status: PodStatus, old: PodStatus): void {
  if ((old.nodeAllocatableResourceClaimStatuses ?? []).length === 0) delete status.nodeAllocatableResourceClaimStatuses;
  if (volumeMountsOf(old).some(({ volumeStatus }) => volumeStatus !== undefined)) return;
  for (const mount of volumeMountsOf(status)) delete mount.volumeStatus;
}

function volumeMountsOf(status: PodStatus): NonNullable<ContainerStatus['volumeMounts']> {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return statuses.flatMap(({ volumeMounts }) => volumeMounts ?? []);
}
