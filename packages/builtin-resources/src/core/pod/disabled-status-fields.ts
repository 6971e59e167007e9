import type { ContainerStatus, PodStatus } from '@apiserver/api/core/v1';
import type { PodFeatures } from '../pod-spec/pod-features.js';

/**
 * Drops the fields of disabled features, unless the stored status has them. Mutates.
 * Upstream: dropDisabledPodStatusFields of pkg/api/pod/util.go
 */
export function dropDisabledStatusFields(status: PodStatus, old: PodStatus, features: PodFeatures): void {
  if (!features.DRANodeAllocatableResources && (old.nodeAllocatableResourceClaimStatuses ?? []).length === 0) {
    delete status.nodeAllocatableResourceClaimStatuses;
  }
  if (!features.DRAExtendedResource && old.extendedResourceClaimStatus === undefined) {
    delete status.extendedResourceClaimStatus;
  }
  const { resources, allocatedResources } = old;
  if (!features.InPlacePodLevelResourcesVerticalScaling && !resources && !allocatedResources) {
    delete status.resources;
    delete status.allocatedResources;
  }
  // Without regard to the stored status, as upstream.
  if (!features.ResourceHealthStatus) for (const one of statusesOf(status)) delete one.allocatedResourcesStatus;
  if (features.ImageVolumeWithDigest || volumeMountsOf(old).some(({ volumeStatus }) => volumeStatus !== undefined)) {
    return;
  }
  for (const mount of volumeMountsOf(status)) delete mount.volumeStatus;
}

function statusesOf(status: PodStatus): readonly ContainerStatus[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
}

function volumeMountsOf(status: PodStatus): NonNullable<ContainerStatus['volumeMounts']> {
  return statusesOf(status).flatMap(({ volumeMounts }) => volumeMounts ?? []);
}
