import type { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';
import { paramKindText } from '../columns/param-text.js';

/** Upstream: printValidatingAdmissionPolicy of pkg/printers/internalversion/printers.go */
export const validatingAdmissionPolicyColumns: readonly Column<ValidatingAdmissionPolicy>[] = [
  nameColumn,
  column('Validations', 'Number of rules in this policy', ({ spec }) => spec.validations?.length ?? 0, {
    type: 'integer',
  }),
  column('ParamKind', 'Kind of the objects that parameterize this policy', ({ spec }) => paramKindText(spec.paramKind)),
  ageColumn,
];
