import type { ReplicaSet } from '@apiserver/api/apps/v1';
import type { FieldError } from '@apiserver/apimachinery/field';
import { validateNonnegative } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { type PodSpecRules, podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validateReplicaCounts } from '../../workload/replica-status.js';
import { SPEC } from '../paths.js';
import { validateSelectorAndTemplate, validateWorkload, validateWorkloadUpdate } from '../workload-template.js';

/** Upstream: ValidateReplicaSet of pkg/apis/apps/validation/validation.go */
export function validateReplicaSet({ metadata, spec }: ReplicaSet, features: PodFeatures): readonly FieldError[] {
  return validateWorkload(metadata, validateSpec(spec, podTemplateRules(features)));
}

/** Upstream: rsStrategy.ValidateUpdate of pkg/registry/apps/replicaset/strategy.go, with kubernetes/kubernetes#131873 */
export function validateReplicaSetUpdate(
  set: ReplicaSet,
  old: ReplicaSet,
  features: PodFeatures,
): readonly FieldError[] {
  const rules = podTemplateRules(features, old.spec.template);
  return validateWorkloadUpdate(set, old, validateSpec(set.spec, rules));
}

/** Upstream: ValidateReplicaSetStatusUpdate */
export function validateReplicaSetStatusUpdate(
  { metadata, status }: ReplicaSet,
  old: ReplicaSet,
): readonly FieldError[] {
  return [...validateBuiltInObjectMetaUpdate(metadata, old.metadata), ...validateReplicaCounts(status)];
}

function validateSpec(spec: ReplicaSet['spec'], rules: PodSpecRules): FieldError[] {
  return [
    ...validateNonnegative(spec.replicas ?? 0, SPEC.child('replicas')),
    ...validateNonnegative(spec.minReadySeconds ?? 0, SPEC.child('minReadySeconds')),
    ...validateSelectorAndTemplate(spec, rules),
  ];
}
