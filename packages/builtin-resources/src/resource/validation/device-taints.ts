import type { DeviceTaint, DeviceToleration } from '@apiserver/api/resource/v1';
import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isLabelValue, validateLabelName } from '@apiserver/apimachinery/validation';
import { validateEnum, validateRequiredEnum } from '../../validation/enum-field.js';

const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const OPERATORS = ['Equal', 'Exists'];

/**
 * A stored effect stays valid: `old` is the taint before an update.
 * Upstream: validateDeviceTaint of pkg/apis/resource/validation/validation.go
 */
export function validateDeviceTaint(
  { key, value, effect }: DeviceTaint,
  path: FieldPath,
  old?: DeviceTaint,
): FieldError[] {
  return [
    ...validateLabelName(key, path.child('key')),
    ...(value ? validateLabelValue(value, path.child('value')) : []),
    ...(old?.effect === effect ? [] : validateRequiredEnum(effect, EFFECTS, path.child('effect'))),
  ];
}

/** Upstream: validateDeviceToleration */
export function validateDeviceToleration(toleration: DeviceToleration, path: FieldPath): FieldError[] {
  const { key, operator, value = '', effect } = toleration;
  const valuePath = path.child('value');
  const valueErrors = () => {
    if (operator === 'Equal') return validateLabelValue(value, valuePath);
    return operator === 'Exists' && value !== ''
      ? [fieldInvalid(valuePath, value, 'must be empty for operator `Exists`')]
      : [];
  };
  return [
    ...(key ? validateLabelName(key, path.child('key')) : []),
    ...validateRequiredEnum(operator, OPERATORS, path.child('operator')),
    ...valueErrors(),
    ...(effect ? validateEnum(effect, EFFECTS, path.child('effect')) : []),
  ];
}

function validateLabelValue(value: string, path: FieldPath): FieldError[] {
  return isLabelValue(value).map((fault) => fieldInvalid(path, value, fault));
}
