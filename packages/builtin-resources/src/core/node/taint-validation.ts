import type { Taint } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldDuplicate, fieldInvalid } from '@apiserver/apimachinery/field';
import { isLabelValue, validateLabelName } from '@apiserver/apimachinery/validation';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import { TAINT_EFFECTS } from '../validation/tolerations.js';

/** Upstream: validateNodeTaints of pkg/apis/core/validation/validation.go */
export function validateTaints(taints: readonly Taint[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, i) => {
    const errors = validateTaint(taint, path.index(i));
    const key = `${taint.effect} ${taint.key}`;
    if (seen.has(key)) errors.push(duplicate(taint, path.index(i)));
    seen.add(key);
    return errors;
  });
}

function validateTaint({ key, value = '', effect }: Taint, path: FieldPath): FieldError[] {
  const faults = isLabelValue(value);
  return [
    ...validateLabelName(key, path.child('key')),
    ...(faults.length === 0 ? [] : [fieldInvalid(path.child('value'), value, faults.join(';'))]),
    ...validateRequiredEnum(effect, TAINT_EFFECTS, path.child('effect')),
  ];
}

/** Formatted as upstream's internal type. */
function duplicate({ key, value = '', effect, timeAdded }: Taint, path: FieldPath): FieldError {
  const printed = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null };
  return { ...fieldDuplicate(path, printed), detail: 'taints must be unique by key and effect pair' };
}
