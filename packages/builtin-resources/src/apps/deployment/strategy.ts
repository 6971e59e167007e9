import { type Deployment, DeploymentSpec } from '@apiserver/api/apps/v1';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { countGeneration, equalSemantically } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import type { Strategies } from '../../workload/strategies.js';
import {
  terminatingReplicasRule,
  type WorkloadRules,
  workloadStatusStrategy,
  workloadStrategy,
} from '../workload-strategy.js';
import { validateDeployment, validateDeploymentStatusUpdate, validateDeploymentUpdate } from './validation.js';

const rulesFor = (features: PodFeatures, gates: FeatureGates): WorkloadRules<Deployment> => ({
  ...terminatingReplicasRule(gates),
  spec: DeploymentSpec,
  emptyStatus: () => ({}),
  validate: (object) => validateDeployment(object, features),
  validateUpdate: (object, old) => validateDeploymentUpdate(object, old, features),
  validateStatusUpdate: validateDeploymentStatusUpdate,
  warnsOfName: true,
  // Annotations of a deployment are copied to its ReplicaSets.
  countChange(deployment, old) {
    const same =
      equalSemantically(deployment.spec, old.spec, DeploymentSpec) &&
      equalJson(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {});
    if (!same) countGeneration(deployment, old);
  },
});

/** The status endpoint also keeps labels. Upstream: pkg/registry/apps/deployment/strategy.go */
export function deploymentStrategies(features: PodFeatures, gates: FeatureGates): Strategies<Deployment> {
  const rules = rulesFor(features, gates);
  const status = workloadStatusStrategy(rules);
  return {
    main: workloadStrategy(rules),
    status: {
      ...status,
      resetFields: ['spec', 'metadata.labels'],
      prepareForUpdate(context, deployment, old) {
        void status.prepareForUpdate?.(context, deployment, old);
        if (old.metadata.labels === undefined) delete deployment.metadata.labels;
        else deployment.metadata.labels = cloneJson(old.metadata.labels);
      },
    },
  };
}
