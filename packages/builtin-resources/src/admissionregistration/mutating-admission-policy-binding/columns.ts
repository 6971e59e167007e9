import type { MutatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';
import { paramRefText } from '../columns/param-text.js';

/** Upstream: printMutatingAdmissionPolicyBinding of pkg/printers/internalversion/printers.go */
export const mutatingAdmissionPolicyBindingColumns: readonly Column<MutatingAdmissionPolicyBinding>[] = [
  nameColumn,
  column('PolicyName', 'Policy that this binding puts into effect', ({ spec }) => spec.policyName ?? ''),
  column('ParamRef', 'Objects that parameterize the policy', ({ spec }) => paramRefText(spec.paramRef)),
  ageColumn,
];
