import type { Deployment } from '@apiserver/api/apps/v1';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { countGeneration } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { type Strategies, type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { validateDeployment, validateDeploymentStatusUpdate, validateDeploymentUpdate } from './validation.js';

const rulesFor = (features: PodFeatures): WorkloadRules<Deployment> => ({
  emptyStatus: () => ({}),
  validate: (object) => validateDeployment(object, features),
  validateUpdate: (object, old) => validateDeploymentUpdate(object, old, features),
  validateStatusUpdate: validateDeploymentStatusUpdate,
  warnsOfName: true,
  // Annotations of a deployment are copied to its ReplicaSets.
  countChange(deployment, old) {
    const same =
      equalJson(deployment.spec, old.spec) &&
      equalJson(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {});
    if (!same) countGeneration(deployment, old);
  },
});

/** The status endpoint also keeps labels. Upstream: pkg/registry/apps/deployment/strategy.go */
export function deploymentStrategies(features: PodFeatures): Strategies<Deployment> {
  const rules = rulesFor(features);
  return {
    main: workloadStrategy(rules),
    status: {
      ...workloadStatusStrategy(rules),
      resetFields: ['spec', 'metadata.labels'],
      prepareForUpdate(_context, deployment, old) {
        deployment.spec = cloneJson(old.spec);
        if (old.metadata.labels === undefined) delete deployment.metadata.labels;
        else deployment.metadata.labels = cloneJson(old.metadata.labels);
      },
    },
  };
}
