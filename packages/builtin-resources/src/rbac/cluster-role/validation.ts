import type { AggregationRule, ClusterRole } from '@apiserver/api/rbac/v1';
import type { LabelSelectorSpec } from '@apiserver/apimachinery';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import { isParseError } from '@apiserver/apimachinery/text';
import { validateLabelSelector, validatePathSegmentName } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validatePolicyRule } from '../validation/policy-rule.js';

const RULES = FieldPath.of('rules');
const SELECTORS = FieldPath.of('aggregationRule', 'clusterRoleSelectors');

/** Upstream: ValidateClusterRole of pkg/apis/rbac/validation/validation.go */
export function validateClusterRole(role: ClusterRole): readonly FieldError[] {
  return validate(role, false);
}

/** Stored selectors with invalid label values may keep such values. Upstream: ValidateClusterRoleUpdate */
export function validateClusterRoleUpdate(role: ClusterRole, old: ClusterRole): readonly FieldError[] {
  return [
    ...validate(role, hasInvalidLabelValue(old)),
    ...validateBuiltInObjectMetaUpdate(role.metadata, old.metadata),
  ];
}

function hasInvalidLabelValue({ aggregationRule }: ClusterRole): boolean {
  const selectors = aggregationRule?.clusterRoleSelectors ?? [];
  return selectors.some((selector) => validateLabelSelector(selector, {}, SELECTORS).length > 0);
}

function validate(role: ClusterRole, allowInvalidLabelValue: boolean): readonly FieldError[] {
  const { aggregationRule } = role;
  return [
    ...validateBuiltInObjectMeta(role.metadata, { namespaced: false, validateName: validatePathSegmentName }),
    ...(role.rules ?? []).flatMap((rule, i) => validatePolicyRule(rule, false, RULES.index(i))),
    ...(aggregationRule === undefined ? [] : validateAggregationRule(aggregationRule, allowInvalidLabelValue)),
  ];
}

function validateAggregationRule(rule: AggregationRule, allowInvalidLabelValueInSelector: boolean): FieldError[] {
  const { clusterRoleSelectors: selectors = [] } = rule;
  if (selectors.length === 0) {
    const fault = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
    return [fieldRequired(SELECTORS, fault)];
  }
  return selectors.flatMap((selector, i) => [
    ...validateLabelSelector(selector, { allowInvalidLabelValueInSelector }, SELECTORS.index(i)),
    // An unparsable selector is printed as nil.
    ...(isSelector(selector) ? [] : [fieldInvalid(SELECTORS.index(i), null, 'invalid label selector.')]),
  ]);
}

function isSelector(selector: LabelSelectorSpec): boolean {
  try {
    labelSelectorAsSelector(selector);
    return true;
  } catch (error) {
    if (isParseError(error)) return false;
    throw error;
  }
}
