import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from '@apiserver/api/autoscaling/v2';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { Quantity } from '@apiserver/apimachinery/values';
import { validateEnum } from '../../validation/enum-field.js';

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];

/** Upstream: validateBehavior of pkg/apis/autoscaling/validation/validation.go */
export function validateBehavior(
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  path: FieldPath,
): FieldError[] {
  return [
    ...(scaleUp === undefined ? [] : validateRules(scaleUp, path.child('scaleUp'))),
    ...(scaleDown === undefined ? [] : validateRules(scaleDown, path.child('scaleDown'))),
  ];
}

function validateRules(rules: HPAScalingRules, path: FieldPath): FieldError[] {
  const { stabilizationWindowSeconds: seconds = 0, selectPolicy, policies = [], tolerance } = rules;
  const window = path.child('stabilizationWindowSeconds');
  return [
    ...(seconds < 0 ? [fieldInvalid(window, seconds, 'must be greater than or equal to zero')] : []),
    ...(seconds > MAX_WINDOW_SECONDS
      ? [fieldInvalid(window, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)]
      : []),
    ...(selectPolicy === undefined ? [] : validateEnum(selectPolicy, SELECT_POLICIES, path.child('selectPolicy'))),
    ...(policies.length === 0 ? [fieldRequired(path.child('policies'), 'must specify at least one Policy')] : []),
    ...policies.flatMap((policy, i) => validatePolicy(policy, path.child('policies').index(i))),
    ...(tolerance === undefined ? [] : validateTolerance(Quantity.parse(tolerance), path.child('tolerance'))),
  ];
}

function validatePolicy({ type, value, periodSeconds }: HPAScalingPolicy, path: FieldPath): FieldError[] {
  const period = path.child('periodSeconds');
  return [
    ...validateEnum(type, POLICY_TYPES, path.child('type')),
    ...(value <= 0 ? [fieldInvalid(path.child('value'), value, 'must be greater than zero')] : []),
    ...(periodSeconds <= 0 ? [fieldInvalid(period, periodSeconds, 'must be greater than zero')] : []),
    ...(periodSeconds > MAX_PERIOD_SECONDS
      ? [fieldInvalid(period, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`)]
      : []),
  ];
}

function validateTolerance(tolerance: Quantity, path: FieldPath): FieldError[] {
  if (tolerance.sign >= 0) return [];
  return [fieldInvalid(path, tolerance.toString(), 'must be greater than or equal to 0')];
}
