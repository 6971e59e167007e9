import type { PriorityClass } from '@apiserver/api/scheduling/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const PRIORITY_CLASS = 'io.k8s.api.scheduling.v1.PriorityClass';

/** Upstream: printPriorityClass of pkg/printers/internalversion/printers.go */
export const priorityClassColumns: readonly Column<PriorityClass>[] = [
  nameColumn,
  describedColumn('Value', [PRIORITY_CLASS, 'value'], ({ value }) => value ?? 0, { type: 'integer' }),
  describedColumn('Global-Default', [PRIORITY_CLASS, 'globalDefault'], ({ globalDefault }) => globalDefault ?? false, {
    type: 'boolean',
  }),
  ageColumn,
  describedColumn(
    'PreemptionPolicy',
    [PRIORITY_CLASS, 'preemptionPolicy'],
    ({ preemptionPolicy }) => preemptionPolicy ?? '',
  ),
];
