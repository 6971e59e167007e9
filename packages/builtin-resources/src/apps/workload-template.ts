import type { PodTemplateSpec } from '@apiserver/api/core/v1';
import type { LabelSelectorSpec, ObjectMeta } from '@apiserver/apimachinery';
import { type FieldError, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { type LabelSelector, labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import { isParseError } from '@apiserver/apimachinery/text';
import { validateImmutableField, validateLabelSelector } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import type { PodFeatures } from '../core/pod-spec/pod-features.js';
import { type PodSpecRules, podTemplateRules } from '../core/pod-spec/pod-spec-rules.js';
import { validatePodTemplateSpec } from '../core/pod-spec/pod-template.js';
import { validateEndlessTemplate, validateSelected } from '../workload/template-validation.js';
import { SPEC, STATUS, TEMPLATE } from './paths.js';

/**
 * Validates the selector of a workload, which must neither be absent nor empty. Invalid label values were never
 * accepted. `kind` is in lower case.
 */
export function validateWorkloadSelector(selector: LabelSelectorSpec | null | undefined, kind: string): FieldError[] {
  const path = SPEC.child('selector');
  if (!selector) return [fieldRequired(path, '')];
  return [
    ...validateLabelSelector(selector, { allowInvalidLabelValueInSelector: false }, path),
    ...validateNotEmpty(selector, kind),
  ];
}

/** A workload whose selector may keep invalid label values. */
interface LenientSpec {
  readonly selector?: LabelSelectorSpec | null;
  readonly template: PodTemplateSpec;
}

/** The rules for an update of a DaemonSet or Job: a stored selector may have label values that are invalid by now. */
export function rulesOfStoredSelector(features: PodFeatures, { template, selector }: LenientSpec): PodSpecRules {
  const rules = podTemplateRules(features, template);
  const strict = { allowInvalidLabelValueInSelector: false };
  const lax = { allowInvalidLabelValueInSelector: true };
  const hasInvalidValue =
    validateLabelSelector(selector, strict, SPEC).length > validateLabelSelector(selector, lax, SPEC).length;
  return hasInvalidValue ? { ...rules, ...lax } : rules;
}

/** Refuses an empty selector, which selects everything. `kind` is in lower case. */
export function validateNotEmpty(selector: LabelSelectorSpec | null | undefined, kind: string): FieldError[] {
  if (!selector) return [];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length > 0) return [];
  return [fieldInvalid(SPEC.child('selector'), selector, `empty selector is invalid for ${kind}`)];
}

/** The parsed selector; undefined if it is invalid. An absent one selects nothing. */
export function parsedSelector(selector: LabelSelectorSpec | null | undefined): LabelSelector | undefined {
  try {
    return labelSelectorAsSelector(selector);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

/**
 * Validates the template of a workload whose pods run until they are deleted.
 * Upstream: ValidatePodTemplateSpecForReplicaSet of pkg/apis/apps/validation/validation.go
 */
function validateWorkloadTemplate(
  template: PodTemplateSpec,
  selector: LabelSelector | undefined,
  rules: PodSpecRules,
  kind: string,
): FieldError[] {
  return [
    ...validateSelected(template, selector, TEMPLATE),
    ...validatePodTemplateSpec(template, rules, TEMPLATE),
    ...validateEndlessTemplate(template, kind, TEMPLATE),
  ];
}

/** The common fields of Deployments and ReplicaSets. */
interface ReplicatedSpec {
  readonly selector?: LabelSelectorSpec | null;
  readonly template: PodTemplateSpec;
}

/**
 * Validates the selector of a workload, and its template against it. Messages of Deployments and ReplicaSets name
 * each other's kinds.
 * Upstream: ValidateDeploymentSpec and ValidateReplicaSetSpec
 */
export function validateSelectorAndTemplate({ selector, template }: ReplicatedSpec, rules: PodSpecRules): FieldError[] {
  const parsed = parsedSelector(selector);
  return [
    ...validateWorkloadSelector(selector, 'deployment'),
    ...(parsed === undefined
      ? [fieldInvalid(SPEC.child('selector'), selector, 'invalid label selector')]
      : validateWorkloadTemplate(template, parsed, rules, 'ReplicaSet')),
  ];
}

/** A workload with a template and an immutable selector. */
interface SelectingWorkload<S> {
  readonly metadata: ObjectMeta;
  readonly spec: S;
}

/** Validates a new workload. `faults` are those of its spec. */
export function validateWorkload(metadata: ObjectMeta, faults: readonly FieldError[]): FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: true }), ...faults];
}

/**
 * Validates an updated workload. The strategies make the selector immutable; that error comes last. `faults` are those
 * of the spec.
 */
export function validateWorkloadUpdate<S extends ReplicatedSpec>(
  { metadata, spec }: SelectingWorkload<S>,
  old: SelectingWorkload<S>,
  faults: readonly FieldError[],
): FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...faults,
    ...validateFixedSelector(spec, old.spec),
  ];
}

function validateFixedSelector({ selector }: ReplicatedSpec, old: ReplicatedSpec): FieldError[] {
  return validateImmutableField(selector, old.selector, SPEC.child('selector'));
}

/** The collision count must not decrease. Upstream: isDecremented, which detects an outdated status */
export function validateCollisionGrowth(count: number | undefined, old: number | undefined): FieldError[] {
  if (old === undefined || (count ?? -1) >= old) return [];
  return [fieldInvalid(STATUS.child('collisionCount'), count ?? 0, 'cannot be decremented')];
}
