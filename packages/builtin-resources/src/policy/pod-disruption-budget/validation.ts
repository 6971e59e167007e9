import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '@apiserver/api/policy/v1';
import { type FieldError, FieldPath, fieldInvalid, hasFieldErrors } from '@apiserver/apimachinery/field';
import { validateConditions, validateLabelSelector, validateNonnegative } from '@apiserver/apimachinery/validation';
import { notSupported } from '../../validation/enum-field.js';
import { validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../../validation/int-or-percent.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const SELECTOR = SPEC.child('selector');
const UNHEALTHY_POD_EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

/**
 * Metadata is validated only by the rules of every kind.
 * Upstream: ValidatePodDisruptionBudget of pkg/apis/policy/validation/validation.go
 */
export function validatePodDisruptionBudget({ spec }: PodDisruptionBudget): readonly FieldError[] {
  return validateSpec(spec, false);
}

/** A stored selector with invalid label values may keep such values. */
export function validatePodDisruptionBudgetUpdate(
  { spec }: PodDisruptionBudget,
  old: PodDisruptionBudget,
): readonly FieldError[] {
  const hadInvalid = hasFieldErrors(() => validateLabelSelector(old.spec.selector, {}, SELECTOR));
  return validateSpec(spec, hadInvalid);
}

/** Upstream: ValidatePodDisruptionBudgetStatusUpdate */
export function validatePodDisruptionBudgetStatus({ status }: PodDisruptionBudget): readonly FieldError[] {
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
  return [
    ...validateConditions(status.conditions ?? [], STATUS.child('conditions')),
    ...counts.flatMap((count) => validateNonnegative(status[count] ?? 0, STATUS.child(count))),
  ];
}

function validateSpec(spec: PodDisruptionBudgetSpec, allowInvalidLabelValueInSelector: boolean): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(fieldInvalid(SPEC, printedSpec(spec), 'minAvailable and maxUnavailable cannot be both set'));
  }
  errors.push(
    ...validateCount(minAvailable, SPEC.child('minAvailable')),
    ...validateCount(maxUnavailable, SPEC.child('maxUnavailable')),
    ...validateLabelSelector(selector, { allowInvalidLabelValueInSelector }, SELECTOR),
  );
  if (policy !== undefined && !UNHEALTHY_POD_EVICTION_POLICIES.includes(policy)) {
    const path = SPEC.child('unhealthyPodEvictionPolicy');
    errors.push(notSupported(path, policy, UNHEALTHY_POD_EVICTION_POLICIES));
  }
  return errors;
}

function validateCount(count: number | string | undefined, path: FieldPath): FieldError[] {
  if (count === undefined) return [];
  return [...validatePositiveIntOrPercent(count, path), ...validateNotMoreThan100Percent(count, path)];
}

/** Formatted as upstream's internal type, whose fields have Go's names. */
function printedSpec(spec: PodDisruptionBudgetSpec): object {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}
