import type { PriorityClass } from '@apiserver/api/scheduling/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

const PRIORITY_CLASS = 'io.k8s.api.scheduling.v1.PriorityClass';

/** Upstream: printPriorityClass of pkg/printers/internalversion/printers.go */
export const priorityClassColumns: readonly Column<PriorityClass>[] = [
  nameColumn,
  {
    name: 'Value',
    type: 'integer',
    format: '',
    description: '',
    describedBy: { definition: PRIORITY_CLASS, field: 'value' },
    priority: 0,
    cell: ({ value }) => value ?? 0,
  },
  {
    name: 'Global-Default',
    type: 'boolean',
    format: '',
    description: '',
    describedBy: { definition: PRIORITY_CLASS, field: 'globalDefault' },
    priority: 0,
    cell: ({ globalDefault }) => globalDefault ?? false,
  },
  ageColumn,
  {
    name: 'PreemptionPolicy',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: PRIORITY_CLASS, field: 'preemptionPolicy' },
    priority: 0,
    cell: ({ preemptionPolicy }) => preemptionPolicy ?? '',
  },
];
