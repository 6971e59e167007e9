import type { Deployment } from '@apiserver/api/apps/v1';
import { applyPodSpecDefaults } from '../../core/pod-spec/pod-spec-defaults.js';

const REVISIONS_KEPT = 10;
const PROGRESS_SECONDS = 600;
const STEP = '25%';

/** Mutates. Upstream: SetDefaults_Deployment of pkg/apis/apps/v1/defaults.go */
export function applyDeploymentDefaults({ spec }: Deployment): void {
  spec.replicas ??= 1;
  const { strategy } = spec;
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= STEP;
    strategy.rollingUpdate.maxSurge ??= STEP;
  }
  spec.revisionHistoryLimit ??= REVISIONS_KEPT;
  spec.progressDeadlineSeconds ??= PROGRESS_SECONDS;
  applyPodSpecDefaults(spec.template.spec);
}
