import {
  type ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
} from '@apiserver/api/admissionregistration/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validateValidatingAdmissionPolicyBinding } from './validation.js';

/** Upstream: pkg/registry/admissionregistration/validatingadmissionpolicybinding/strategy.go */
export const validatingAdmissionPolicyBindingStrategy: Strategy<ValidatingAdmissionPolicyBinding> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate(_context, binding) {
    binding.metadata.generation = 1;
  },
  validate: (_context, binding) => validateValidatingAdmissionPolicyBinding(binding),
  prepareForUpdate: (_context, binding, old) => countSpecChange(binding, old, ValidatingAdmissionPolicyBindingSpec),
  validateUpdate: (_context, binding) => validateValidatingAdmissionPolicyBinding(binding),
};
