import type { ValidatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';
import { paramRefText } from '../columns/param-text.js';

/** Upstream: printValidatingAdmissionPolicyBinding of pkg/printers/internalversion/printers.go */
export const validatingAdmissionPolicyBindingColumns: readonly Column<ValidatingAdmissionPolicyBinding>[] = [
  nameColumn,
  column('PolicyName', 'Policy that this binding puts into effect', ({ spec }) => spec.policyName ?? ''),
  column('ParamRef', 'Objects that parameterize the policy', ({ spec }) => paramRefText(spec.paramRef)),
  ageColumn,
];
