import { type FieldError, type FieldPath, fieldDuplicate, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateLabelName } from '@apiserver/apimachinery/validation';
import { firstIndexes } from '../../validation/first-indexes.js';
import { validateList } from './bounded-collections.js';

const MAX_CONDITIONS = 4;

/** Conditions of a device before a pod is bound, and conditions that mean failure. */
interface BindingParameters {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/**
 * Both or none, without overlap.
 * Upstream: validateDeviceBindingParameters of pkg/apis/resource/validation/validation.go
 */
export function validateBindingParameters(
  { bindingConditions, bindingFailureConditions }: BindingParameters,
  path: FieldPath,
): FieldError[] {
  const conditions = bindingConditions ?? [];
  const failures = bindingFailureConditions ?? [];
  const at = path.child('bindingConditions');
  const failuresAt = path.child('bindingFailureConditions');
  const rules = { max: MAX_CONDITIONS, validate: validateLabelName };
  const errors = [...validateList(conditions, rules, at), ...validateList(failures, rules, failuresAt)];
  const firstConditions = firstIndexes(conditions);
  const firstFailures = firstIndexes(failures);
  for (const [i, condition] of conditions.entries()) {
    if (firstConditions.get(condition) !== i) errors.push(fieldDuplicate(at.index(i), condition));
  }
  for (const [i, failure] of failures.entries()) {
    if (firstFailures.get(failure) !== i) errors.push(fieldDuplicate(failuresAt.index(i), failure));
    if (!firstConditions.has(failure)) continue;
    const detail = 'bindingFailureConditions must not overlap with bindingConditions';
    errors.push(fieldInvalid(failuresAt.index(i), failure, detail));
  }
  if (conditions.length === 0 && failures.length > 0) {
    const detail = 'bindingConditions are required to use bindingFailureConditions';
    errors.push(fieldInvalid(at, bindingConditions ?? null, detail));
  }
  if (failures.length === 0 && conditions.length > 0) {
    const detail = 'bindingFailureConditions are required to use bindingConditions';
    errors.push(fieldInvalid(failuresAt, bindingFailureConditions ?? null, detail));
  }
  return errors;
}
