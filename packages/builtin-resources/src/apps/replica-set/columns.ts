import type { ReplicaSet } from '@apiserver/api/apps/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, labelSelectorText, nameColumn } from '@apiserver/resource-kit';
import { containerColumns } from '../../workload/pod-columns.js';

const SPEC = 'io.k8s.api.apps.v1.ReplicaSetSpec';
const STATUS = 'io.k8s.api.apps.v1.ReplicaSetStatus';
const INTEGER = { type: 'integer' };

/** Upstream: printReplicaSet of pkg/printers/internalversion/printers.go */
export const replicaSetColumns: readonly Column<ReplicaSet>[] = [
  nameColumn,
  describedColumn('Desired', [SPEC, 'replicas'], ({ spec }) => spec.replicas ?? 0, INTEGER),
  describedColumn('Current', [STATUS, 'replicas'], ({ status }) => status.replicas, INTEGER),
  describedColumn('Ready', [STATUS, 'readyReplicas'], ({ status }) => status.readyReplicas ?? 0, INTEGER),
  ageColumn,
  ...containerColumns<ReplicaSet>(({ spec }) => spec.template),
  describedColumn('Selector', [SPEC, 'selector'], ({ spec }) => labelSelectorText(spec.selector ?? undefined), {
    priority: 1,
  }),
];
