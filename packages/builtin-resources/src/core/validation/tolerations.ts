import type { Toleration } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { isLabelValue, validateLabelName } from '@apiserver/apimachinery/validation';
import { parseInt64 } from '@apiserver/apimachinery/values';
import { notSupported, validateEnum } from '../../validation/enum-field.js';

/** The effects of a taint on pods that do not tolerate it. */
export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Upstream: ValidateTolerations of pkg/apis/core/validation/validation.go */
export function validateTolerations(
  tolerations: readonly Toleration[],
  allowComparisons: boolean,
  path: FieldPath,
): FieldError[] {
  return tolerations.flatMap((toleration, i) => validateToleration(toleration, allowComparisons, path.index(i)));
}

function validateToleration(toleration: Toleration, allowComparisons: boolean, path: FieldPath): FieldError[] {
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
  errors.push(...validateOperator(toleration, allowComparisons, path));
  if (effect !== '') errors.push(...validateEnum(effect, TAINT_EFFECTS, path.child('effect')));
  return errors;
}

function validateOperator(
  { operator = '', value = '' }: Toleration,
  allowComparisons: boolean,
  toleration: FieldPath,
): FieldError[] {
  const path = toleration.child('operator');
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
      if (allowComparisons) return validateBound(value, toleration.child('value'));
      return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}

/** A bound is a 64-bit integer in its canonical form. Upstream: content.IsDecimalInteger, strconv.ParseInt */
function validateBound(value: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (value === '') errors.push(fieldInvalid(path, value, 'must be non-empty'));
  else if (!/^(0|-?[1-9][0-9]*)$/.test(value)) {
    errors.push(fieldInvalid(path, value, 'must be a valid decimal integer in canonical form'));
  }
  if (parseInt64(value) !== undefined) return errors;
  const fault = /^[+-]?[0-9]+$/.test(value) ? 'value out of range' : 'invalid syntax';
  return [...errors, fieldInvalid(path, value, `strconv.ParseInt: parsing ${quote(value)}: ${fault}`)];
}
