import type { PodGroup, PodGroupStatus } from '@apiserver/api/scheduling/v1alpha2';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, describedColumn, nameColumn } from '@apiserver/resource-kit';

const POLICY = ['io.k8s.api.scheduling.v1alpha2.PodGroupSpec', 'schedulingPolicy'] as const;

/** Upstream: printPodGroup of pkg/printers/internalversion/printers.go */
export const podGroupColumns: readonly Column<PodGroup>[] = [
  nameColumn,
  describedColumn('Policy', POLICY, ({ spec }) => (spec.schedulingPolicy.gang ? 'Gang' : 'Basic')),
  column(
    'Workload',
    'Name of the referenced Workload object',
    ({ spec }) => spec.podGroupTemplateRef?.workload?.workloadName ?? '<none>',
  ),
  column('Status', 'Status of the PodGroup', ({ status }) => stateOf(status)),
  ageColumn,
];

/** A disruption hides whether the pods are scheduled. Of several conditions of a type the last counts. */
function stateOf({ conditions = [] }: PodGroupStatus): string {
  const last = (type: string) => conditions.findLast((condition) => condition.type === type);
  const disruption = last('DisruptionTarget');
  if (disruption !== undefined) return disruption.reason;
  const scheduled = last('PodGroupScheduled');
  if (scheduled === undefined) return 'Pending';
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
}
