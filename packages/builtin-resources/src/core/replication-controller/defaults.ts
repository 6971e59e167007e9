import type { ReplicationController } from '@apiserver/api/core/v1';
import { applyPodSpecDefaults } from '../pod-spec/pod-spec-defaults.js';

/**
 * The default selector and the controller's default labels are the labels of the template. Mutates.
 * Upstream: SetDefaults_ReplicationController of pkg/apis/core/v1/defaults.go
 */
export function applyReplicationControllerDefaults({ metadata, spec }: ReplicationController): void {
  const labels = spec.template?.metadata.labels;
  if (labels !== undefined) {
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  }
  spec.replicas ??= 1;
  if (spec.template !== undefined) applyPodSpecDefaults(spec.template.spec);
}
