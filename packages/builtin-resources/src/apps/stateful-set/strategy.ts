import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { validateStatefulSet, validateStatefulSetStatusUpdate, validateStatefulSetUpdate } from './validation.js';

const rules: WorkloadRules<StatefulSet> = {
  emptyStatus: () => ({ replicas: 0 }),
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  validateStatusUpdate: validateStatefulSetStatusUpdate,
  warnsOfName: false,
  warnings({ spec }) {
    if ((spec.revisionHistoryLimit ?? 0) >= 0) return [];
    const message = 'a negative value retains all historical revisions; a value >= 0 is recommended';
    return [`spec.revisionHistoryLimit: ${message}`];
  },
};

/** Which of the features that are off by default a server's StatefulSets have. */
export interface StatefulSetFeatures {
  /** Several pods may be replaced at once. Upstream's gate: MaxUnavailableStatefulSet */
  readonly maxUnavailable: boolean;
}

/** Upstream: pkg/registry/apps/statefulset/strategy.go */
export function statefulSetStrategy({ maxUnavailable }: StatefulSetFeatures): Strategy<StatefulSet> {
  return workloadStrategy(maxUnavailable ? rules : { ...rules, dropDisabled: dropMaxUnavailable });
}

function dropMaxUnavailable({ spec }: StatefulSet, old?: StatefulSet): void {
  if (old?.spec.updateStrategy.rollingUpdate?.maxUnavailable !== undefined) return;
  delete spec.updateStrategy.rollingUpdate?.maxUnavailable;
}

/** Rules of the status endpoint. */
export const statefulSetStatusStrategy: Strategy<StatefulSet> = workloadStatusStrategy(rules);
