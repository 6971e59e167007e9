import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';
import { containerColumns } from '../../workload/pod-columns.js';

/** Upstream: printStatefulSet of pkg/printers/internalversion/printers.go */
export const statefulSetColumns: readonly Column<StatefulSet>[] = [
  nameColumn,
  column(
    'Ready',
    'Number of the pod with ready state',
    ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  ),
  ageColumn,
  ...containerColumns<StatefulSet>(({ spec }) => spec.template),
];
