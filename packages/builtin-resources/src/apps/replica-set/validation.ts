import type { ReplicaSet } from '@apiserver/api/apps/v1';
import {
  type FieldError,
  fieldInvalid,
  validateImmutableField,
  validateNonnegative,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery';
import { type PodSpecRules, podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validateReplicaCounts } from '../../workload/replica-status.js';
import { METADATA, SPEC } from '../paths.js';
import {
  parsedSelector,
  validateWorkloadMeta,
  validateWorkloadSelector,
  validateWorkloadTemplate,
} from '../workload-template.js';

/** Upstream: ValidateReplicaSet of pkg/apis/apps/validation/validation.go */
export function validateReplicaSet({ metadata, spec }: ReplicaSet): readonly FieldError[] {
  return [...validateWorkloadMeta(metadata), ...validateSpec(spec, podTemplateRules())];
}

/** Upstream: ValidateReplicaSetUpdate, and the immutable selector of the strategy */
export function validateReplicaSetUpdate({ metadata, spec }: ReplicaSet, old: ReplicaSet): readonly FieldError[] {
  return [
    ...validateObjectMetaUpdate(metadata, old.metadata, METADATA),
    ...validateSpec(spec, podTemplateRules(old.spec.template)),
    ...validateImmutableField(spec.selector, old.spec.selector, SPEC.child('selector')),
  ];
}

/** Upstream: ValidateReplicaSetStatusUpdate */
export function validateReplicaSetStatusUpdate(
  { metadata, status }: ReplicaSet,
  old: ReplicaSet,
): readonly FieldError[] {
  return [...validateObjectMetaUpdate(metadata, old.metadata, METADATA), ...validateReplicaCounts(status)];
}

function validateSpec(spec: ReplicaSet['spec'], rules: PodSpecRules): FieldError[] {
  const selector = parsedSelector(spec.selector);
  return [
    ...validateNonnegative(spec.replicas ?? 0, SPEC.child('replicas')),
    ...validateNonnegative(spec.minReadySeconds ?? 0, SPEC.child('minReadySeconds')),
    ...validateWorkloadSelector(spec.selector, rules, 'deployment'),
    ...(selector === undefined
      ? [fieldInvalid(SPEC.child('selector'), spec.selector, 'invalid label selector')]
      : validateWorkloadTemplate(spec.template, selector, rules, 'ReplicaSet')),
  ];
}
