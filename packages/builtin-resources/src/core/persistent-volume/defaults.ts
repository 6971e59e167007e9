import type { PersistentVolume } from '@apiserver/api/core/v1';
import { roundUpAmounts } from '../resource-amounts.js';

/**
 * Mutates. Defaults of the sources are in the schema.
 * Upstream: SetDefaults_PersistentVolume and SetDefaults_HostPathVolumeSource of pkg/apis/core/v1/defaults.go
 */
export function applyPersistentVolumeDefaults({ spec, status }: PersistentVolume): void {
  status.phase ||= 'Pending';
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  if (spec.hostPath !== undefined) spec.hostPath.type ??= '';
  roundUpAmounts(spec.capacity);
}
