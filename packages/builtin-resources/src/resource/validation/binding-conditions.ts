import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  validateLabelName,
} from '@apiserver/apimachinery';
import { validateList } from './bounded-collections.js';

const MAX_CONDITIONS = 4;

/** What must hold of a device before a pod is bound, and what says that it never will. */
interface BindingParameters {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/** Both or none, and nothing in both. Upstream: validateDeviceBindingParameters of pkg/apis/resource/validation/validation.go */
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
  errors.push(...duplicates(conditions, at));
  for (const [i, failure] of failures.entries()) {
    if (failures.indexOf(failure) < i) errors.push(fieldDuplicate(failuresAt.index(i), failure));
    if (!conditions.includes(failure)) continue;
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

function duplicates(items: readonly string[], path: FieldPath): FieldError[] {
  return items.flatMap((item, i) => (items.indexOf(item) < i ? [fieldDuplicate(path.index(i), item)] : []));
}
