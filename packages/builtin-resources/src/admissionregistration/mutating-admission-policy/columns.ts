import type { MutatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';
import { paramKindText } from '../columns/param-text.js';

/** Upstream: printMutatingAdmissionPolicy of pkg/printers/internalversion/printers.go */
export const mutatingAdmissionPolicyColumns: readonly Column<MutatingAdmissionPolicy>[] = [
  nameColumn,
  column('Mutations', 'Number of mutations in this policy', ({ spec }) => spec.mutations?.length ?? 0, {
    type: 'integer',
  }),
  column('ParamKind', 'Kind of the objects that parameterize this policy', ({ spec }) => paramKindText(spec.paramKind)),
  ageColumn,
];
