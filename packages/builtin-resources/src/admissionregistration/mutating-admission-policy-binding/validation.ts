import type { MutatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateBindingSpec } from '../validation/binding.js';
import { validateMutatingOperations } from '../validation/match-resources.js';
import { validateMetadata } from '../validation/metadata.js';

const RESOURCES = FieldPath.of('spec', 'matchResources');

/** Upstream: validateMutatingAdmissionPolicyBinding of pkg/apis/admissionregistration/validation/validation.go */
export function validateMutatingAdmissionPolicyBinding(binding: MutatingAdmissionPolicyBinding): readonly FieldError[] {
  return [
    ...validateMetadata(binding),
    ...validateBindingSpec(binding.spec),
    ...validateMutatingOperations(binding.spec.matchResources, RESOURCES),
  ];
}
