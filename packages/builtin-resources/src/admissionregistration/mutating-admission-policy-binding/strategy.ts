import {
  type MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingSpec,
} from '@apiserver/api/admissionregistration/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validateMutatingAdmissionPolicyBinding } from './validation.js';

/** Upstream: pkg/registry/admissionregistration/mutatingadmissionpolicybinding/strategy.go */
export const mutatingAdmissionPolicyBindingStrategy: Strategy<MutatingAdmissionPolicyBinding> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate(_context, binding) {
    binding.metadata.generation = 1;
  },
  validate: (_context, binding) => validateMutatingAdmissionPolicyBinding(binding),
  prepareForUpdate: (_context, binding, old) => countSpecChange(binding, old, MutatingAdmissionPolicyBindingSpec),
  validateUpdate: (_context, binding) => validateMutatingAdmissionPolicyBinding(binding),
};
