import type { Deployment } from '@apiserver/api/apps/v1';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countGeneration } from '@apiserver/resource-kit';
import { type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { validateDeployment, validateDeploymentStatusUpdate, validateDeploymentUpdate } from './validation.js';

const rules: WorkloadRules<Deployment> = {
  emptyStatus: () => ({}),
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatusUpdate,
  warnsOfName: true,
  // Annotations of a deployment are copied to its ReplicaSets.
  countChange(deployment, old) {
    const same =
      equalJson(deployment.spec, old.spec) &&
      equalJson(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {});
    if (!same) countGeneration(deployment, old);
  },
};

/** Upstream: pkg/registry/apps/deployment/strategy.go */
export const deploymentStrategy: Strategy<Deployment> = workloadStrategy(rules);

const statusStrategy = workloadStatusStrategy(rules);

/** Strategy of the status endpoint, which also keeps labels. */
export const deploymentStatusStrategy: Strategy<Deployment> = {
  ...statusStrategy,
  resetFields: ['spec', 'metadata.labels'],
  prepareForUpdate(_context, deployment, old) {
    deployment.spec = cloneJson(old.spec);
    if (old.metadata.labels === undefined) delete deployment.metadata.labels;
    else deployment.metadata.labels = cloneJson(old.metadata.labels);
  },
};
