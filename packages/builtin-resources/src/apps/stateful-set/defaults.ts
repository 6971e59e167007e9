import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { applyPodSpecDefaults } from '../../core/pod-spec/pod-spec-defaults.js';

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

/** Mutates. The part of the feature MaxUnavailableStatefulSet. */
export function applyMaxUnavailableDefault({ spec: { updateStrategy } }: StatefulSet): void {
  if (updateStrategy.type !== 'RollingUpdate' || updateStrategy.rollingUpdate === undefined) return;
  updateStrategy.rollingUpdate.maxUnavailable ??= 1;
}

/** A claim in a template is written like a claim of its own. */
function applyClaimDefaults(claim: PersistentVolumeClaim): void {
  claim.apiVersion ||= 'v1';
  claim.kind ||= 'PersistentVolumeClaim';
  claim.spec.volumeMode ??= 'Filesystem';
  claim.status.phase ||= 'Pending';
}
