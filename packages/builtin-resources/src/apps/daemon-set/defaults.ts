import type { DaemonSet } from '@apiserver/api/apps/v1';
import { applyPodSpecDefaults } from '../../core/pod-spec/pod-spec-defaults.js';

const REVISIONS_KEPT = 10;

/** Mutates. Upstream: SetDefaults_DaemonSet of pkg/apis/apps/v1/defaults.go */
export function applyDaemonSetDefaults({ spec }: DaemonSet): void {
  const { updateStrategy } = spec;
  updateStrategy.type ||= 'RollingUpdate';
  if (updateStrategy.type === 'RollingUpdate') {
    updateStrategy.rollingUpdate ??= {};
    updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= REVISIONS_KEPT;
  applyPodSpecDefaults(spec.template.spec);
}
