import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { roundUpAmounts, roundUpRequirements } from '../resource-amounts.js';

/**
 * Mutates.
 * Upstream: SetDefaults_PersistentVolumeClaim and SetDefaults_PersistentVolumeClaimSpec of pkg/apis/core/v1/defaults.go
 */
export function applyPersistentVolumeClaimDefaults({ spec, status }: PersistentVolumeClaim): void {
  status.phase ||= 'Pending';
  spec.volumeMode ??= 'Filesystem';
  roundUpRequirements(spec.resources);
  for (const list of [status.capacity, status.allocatedResources]) roundUpAmounts(list);
}
