import type { ReplicationController } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';
import { containerColumns, labelsText } from '../../workload/pod-columns.js';

const SPEC = 'io.k8s.api.core.v1.ReplicationControllerSpec';
const STATUS = 'io.k8s.api.core.v1.ReplicationControllerStatus';
const INTEGER = { type: 'integer' };

/** Upstream: printReplicationController of pkg/printers/internalversion/printers.go */
export const replicationControllerColumns: readonly Column<ReplicationController>[] = [
  nameColumn,
  describedColumn('Desired', [SPEC, 'replicas'], ({ spec }) => spec.replicas ?? 0, INTEGER),
  describedColumn('Current', [STATUS, 'replicas'], ({ status }) => status.replicas, INTEGER),
  describedColumn('Ready', [STATUS, 'readyReplicas'], ({ status }) => status.readyReplicas ?? 0, INTEGER),
  ageColumn,
  ...containerColumns<ReplicationController>(({ spec }) => spec.template),
  describedColumn('Selector', [SPEC, 'selector'], ({ spec }) => labelsText(spec.selector), { priority: 1 }),
];
