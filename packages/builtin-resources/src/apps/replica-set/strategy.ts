import { type ReplicaSet, ReplicaSetSpec } from '@apiserver/api/apps/v1';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import type { Strategies } from '../../workload/strategies.js';
import {
  terminatingReplicasRule,
  type WorkloadRules,
  workloadStatusStrategy,
  workloadStrategy,
} from '../workload-strategy.js';
import { validateReplicaSet, validateReplicaSetStatusUpdate, validateReplicaSetUpdate } from './validation.js';

const rulesFor = (features: PodFeatures, gates: FeatureGates): WorkloadRules<ReplicaSet> => ({
  ...terminatingReplicasRule(gates),
  spec: ReplicaSetSpec,
  emptyStatus: () => ({ replicas: 0 }),
  validate: (object) => validateReplicaSet(object, features),
  validateUpdate: (object, old) => validateReplicaSetUpdate(object, old, features),
  validateStatusUpdate: validateReplicaSetStatusUpdate,
  warnsOfName: true,
});

/** Upstream: pkg/registry/apps/replicaset/strategy.go */
export function replicaSetStrategies(features: PodFeatures, gates: FeatureGates): Strategies<ReplicaSet> {
  const rules = rulesFor(features, gates);
  return { main: workloadStrategy(rules), status: workloadStatusStrategy(rules) };
}
