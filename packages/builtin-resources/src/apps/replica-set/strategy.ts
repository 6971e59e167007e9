import type { ReplicaSet } from '@apiserver/api/apps/v1';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { type Strategies, type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { validateReplicaSet, validateReplicaSetStatusUpdate, validateReplicaSetUpdate } from './validation.js';

const rulesFor = (features: PodFeatures): WorkloadRules<ReplicaSet> => ({
  emptyStatus: () => ({ replicas: 0 }),
  validate: (object) => validateReplicaSet(object, features),
  validateUpdate: (object, old) => validateReplicaSetUpdate(object, old, features),
  validateStatusUpdate: validateReplicaSetStatusUpdate,
  warnsOfName: true,
});

/** Upstream: pkg/registry/apps/replicaset/strategy.go */
export function replicaSetStrategies(features: PodFeatures): Strategies<ReplicaSet> {
  const rules = rulesFor(features);
  return { main: workloadStrategy(rules), status: workloadStatusStrategy(rules) };
}
