import type { PodTemplateSpec } from '@apiserver/api/core/v1';
import {
  type FieldError,
  fieldInvalid,
  fieldRequired,
  isParseError,
  type LabelSelector,
  type LabelSelectorSpec,
  labelSelectorAsSelector,
  nameIsDNSSubdomain,
  type ObjectMeta,
  validateLabelSelector,
} from '@apiserver/apimachinery';
import type { PodSpecRules } from '../core/pod-spec/pod-spec-rules.js';
import { validatePodTemplateSpec } from '../core/pod-spec/pod-template.js';
import { validateBuiltInObjectMeta } from '../validation/object-meta.js';
import { validateEndlessTemplate, validateSelected } from '../workload/template-validation.js';
import { METADATA, SPEC, TEMPLATE } from './paths.js';

/** The metadata of a workload. */
export function validateWorkloadMeta(metadata: ObjectMeta): FieldError[] {
  return validateBuiltInObjectMeta(metadata, { namespaced: true, validateName: nameIsDNSSubdomain, path: METADATA });
}

/** The selector of a workload: it selects something, but not everything. `kind` in lower case. */
export function validateWorkloadSelector(
  selector: LabelSelectorSpec | null | undefined,
  rules: PodSpecRules,
  kind: string,
): FieldError[] {
  const path = SPEC.child('selector');
  if (!selector) return [fieldRequired(path, '')];
  const allowInvalidLabelValueInSelector = rules.allowInvalidLabelValueInSelector;
  const errors = validateLabelSelector(selector, { allowInvalidLabelValueInSelector }, path);
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) {
    errors.push(fieldInvalid(path, selector, `empty selector is invalid for ${kind}`));
  }
  return errors;
}

/** The selector, read; undefined for one that cannot be. An absent one selects nothing. */
export function parsedSelector(selector: LabelSelectorSpec | null | undefined): LabelSelector | undefined {
  try {
    return labelSelectorAsSelector(selector);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

/**
 * The template of a workload whose pods run until they are deleted.
 * Upstream: ValidatePodTemplateSpecForReplicaSet of pkg/apis/apps/validation/validation.go
 */
export function validateWorkloadTemplate(
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
