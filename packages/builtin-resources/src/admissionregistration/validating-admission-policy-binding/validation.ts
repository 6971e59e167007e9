import type { ValidatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { validateEnum } from '../../validation/enum-field.js';
import { validateBindingSpec } from '../validation/binding.js';
import { validateMetadata } from '../validation/metadata.js';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const ACTIONS_PATH = FieldPath.of('spec', 'validationActions');

/** Upstream: validateValidatingAdmissionPolicyBinding of pkg/apis/admissionregistration/validation/validation.go */
export function validateValidatingAdmissionPolicyBinding(
  binding: ValidatingAdmissionPolicyBinding,
): readonly FieldError[] {
  return [
    ...validateMetadata(binding),
    ...validateBindingSpec(binding.spec),
    ...validateActions(binding.spec.validationActions ?? []),
  ];
}

/** Upstream: validateValidationActions */
function validateActions(actions: readonly string[]): FieldError[] {
  const known = new Set<string>();
  const errors = actions.flatMap((action, i) => {
    const path = ACTIONS_PATH.index(i);
    const isDuplicate = known.has(action);
    known.add(action);
    return [
      ...validateEnum(action, ACTIONS, path),
      ...(isDuplicate ? [fieldDuplicate(path, printedAsJson(action))] : []),
    ];
  });
  if (known.has('Deny') && known.has('Warn')) errors.push(fieldInvalid(ACTIONS_PATH, actions, twiceText()));
  if (known.size === 0) errors.push(fieldRequired(ACTIONS_PATH, 'at least one validation action is required'));
  return errors;
}

function twiceText(): string {
  const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
  return `must not contain both Deny and Warn (${why})`;
}
