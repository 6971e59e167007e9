import { type StatefulSet, StatefulSetSpec } from '@apiserver/api/apps/v1';
import type { FieldPath } from '@apiserver/apimachinery/field';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { claimSpecWarnings } from '../../core/persistent-volume-claim/warnings.js';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import type { Strategies } from '../../workload/strategies.js';
import { SPEC } from '../paths.js';
import { type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { validateStatefulSet, validateStatefulSetStatusUpdate, validateStatefulSetUpdate } from './validation.js';

const rulesFor = (pods: PodFeatures): WorkloadRules<StatefulSet> => ({
  spec: StatefulSetSpec,
  emptyStatus: () => ({ replicas: 0 }),
  validate: (set) => validateStatefulSet(set, pods),
  validateUpdate: (set, old) => validateStatefulSetUpdate(set, old, pods),
  validateStatusUpdate: validateStatefulSetStatusUpdate,
  warnsOfName: false,
});

/** The features of a server's StatefulSets. */
export interface StatefulSetFeatures {
  readonly pods: PodFeatures;
  /** Several pods may be replaced at once. Upstream feature gate: MaxUnavailableStatefulSet */
  readonly maxUnavailable: boolean;
}

/** Upstream: pkg/registry/apps/statefulset/strategy.go */
export function statefulSetStrategies({ maxUnavailable, pods }: StatefulSetFeatures): Strategies<StatefulSet> {
  const rules = rulesFor(pods);
  return {
    main: mainStrategy(maxUnavailable ? rules : { ...rules, dropDisabled: dropMaxUnavailable }),
    status: workloadStatusStrategy(rules),
  };
}

function mainStrategy(rules: WorkloadRules<StatefulSet>): Strategy<StatefulSet> {
  const strategy = workloadStrategy(rules);
  return {
    ...strategy,
    warningsOnCreate: (context, object) => [
      ...strategy.warningsOnCreate(context, object),
      ...claimWarnings(object, (claim) => claim),
      ...historyWarnings(object),
    ],
    // Unlike the template's warnings, these occur on every update, with the path of the claim's spec as upstream.
    warningsOnUpdate: (context, object, old) => [
      ...strategy.warningsOnUpdate(context, object, old),
      ...claimWarnings(object, (claim) => claim.child('Spec')),
      ...historyWarnings(object),
    ],
  };
}

function claimWarnings({ spec }: StatefulSet, pathOf: (claim: FieldPath) => FieldPath): readonly string[] {
  const path = SPEC.child('volumeClaimTemplates');
  return (spec.volumeClaimTemplates ?? []).flatMap((claim, i) => claimSpecWarnings(claim.spec, pathOf(path.index(i))));
}

function historyWarnings({ spec }: StatefulSet): readonly string[] {
  if ((spec.revisionHistoryLimit ?? 0) >= 0) return [];
  const message = 'a negative value retains all historical revisions; a value >= 0 is recommended';
  return [`spec.revisionHistoryLimit: ${message}`];
}

function dropMaxUnavailable({ spec }: StatefulSet, old?: StatefulSet): void {
  if (old?.spec.updateStrategy.rollingUpdate?.maxUnavailable !== undefined) return;
  delete spec.updateStrategy.rollingUpdate?.maxUnavailable;
}
