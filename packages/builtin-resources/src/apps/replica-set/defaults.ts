import type { ReplicaSet } from '@apiserver/api/apps/v1';
import { applyPodSpecDefaults } from '../../core/pod-spec/pod-spec-defaults.js';

/** Mutates. Upstream: SetDefaults_ReplicaSet of pkg/apis/apps/v1/defaults.go */
export function applyReplicaSetDefaults({ spec }: ReplicaSet): void {
  spec.replicas ??= 1;
  applyPodSpecDefaults(spec.template.spec);
}
