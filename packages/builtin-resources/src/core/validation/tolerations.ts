import type { Toleration } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { isLabelValue, validateLabelName } from '@apiserver/apimachinery/validation';
import { notSupported, validateEnum } from './enum-field.js';

/** The effects of a taint on pods that do not tolerate it. */
export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Upstream: ValidateTolerations of pkg/apis/core/validation/validation.go, without TaintTolerationComparisonOperators */
export function validateTolerations(tolerations: readonly Toleration[], path: FieldPath): FieldError[] {
  return tolerations.flatMap((toleration, i) => validateToleration(toleration, path.index(i)));
}

function validateToleration(toleration: Toleration, path: FieldPath): FieldError[] {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  const errors = key === '' ? [] : validateLabelName(key, path.child('key'));
  if (key === '' && operator !== 'Exists') {
    const message = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(fieldInvalid(path.child('operator'), printedAsJson(operator), message));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const message = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(fieldInvalid(path.child('effect'), printedAsJson(effect), message));
  }
  errors.push(...validateOperator(toleration, path.child('operator')));
  if (effect !== '') errors.push(...validateEnum(effect, TAINT_EFFECTS, path.child('effect')));
  return errors;
}

function validateOperator({ operator = '', value = '' }: Toleration, path: FieldPath): FieldError[] {
  switch (operator) {
    case '':
    case 'Equal': {
      const faults = isLabelValue(value);
      return faults.length === 0 ? [] : [fieldInvalid(path, value, faults.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [fieldInvalid(path, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}
