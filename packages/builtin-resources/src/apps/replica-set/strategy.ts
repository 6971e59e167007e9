import type { ReplicaSet } from '@apiserver/api/apps/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { validateReplicaSet, validateReplicaSetStatusUpdate, validateReplicaSetUpdate } from './validation.js';

const rules: WorkloadRules<ReplicaSet> = {
  emptyStatus: () => ({ replicas: 0 }),
  validate: validateReplicaSet,
  validateUpdate: validateReplicaSetUpdate,
  validateStatusUpdate: validateReplicaSetStatusUpdate,
  warnsOfName: true,
};

/** Upstream: pkg/registry/apps/replicaset/strategy.go */
export const replicaSetStrategy: Strategy<ReplicaSet> = workloadStrategy(rules);

/** Strategy of the status endpoint. */
export const replicaSetStatusStrategy: Strategy<ReplicaSet> = workloadStatusStrategy(rules);
