import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { applyPodSpecDefaults, normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';

const REVISIONS_KEPT = 10;

/** Mutates. Upstream: SetDefaults_StatefulSet of pkg/apis/apps/v1/defaults.go */
export function applyStatefulSetDefaults({ spec }: StatefulSet): void {
  spec.podManagementPolicy ||= 'OrderedReady';
  const { updateStrategy } = spec;
  if (!updateStrategy.type) {
    updateStrategy.type = 'RollingUpdate';
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type === 'RollingUpdate' && updateStrategy.rollingUpdate !== undefined) {
    updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain';
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= REVISIONS_KEPT;
  for (const claim of spec.volumeClaimTemplates ?? []) applyClaimDefaults(claim);
  applyPodSpecDefaults(spec.template.spec);
}

/**
 * Sets apiVersion and kind of claims in templates. Mutates.
 * Upstream: Convert_v1_StatefulSetSpec_To_apps_StatefulSetSpec of pkg/apis/apps/v1/conversion.go
 */
export function normalizeStatefulSet({ spec }: StatefulSet): void {
  normalizePodTemplate(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion ||= 'v1';
    claim.kind ||= 'PersistentVolumeClaim';
  }
}

/** The default of the feature MaxUnavailableStatefulSet. Mutates. */
export function applyMaxUnavailableDefault({ spec: { updateStrategy } }: StatefulSet): void {
  if (updateStrategy.type !== 'RollingUpdate' || updateStrategy.rollingUpdate === undefined) return;
  updateStrategy.rollingUpdate.maxUnavailable ??= 1;
}

function applyClaimDefaults(claim: PersistentVolumeClaim): void {
  claim.spec.volumeMode ??= 'Filesystem';
  claim.status.phase ||= 'Pending';
}
