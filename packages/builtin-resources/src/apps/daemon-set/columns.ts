import type { DaemonSet } from '@apiserver/api/apps/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, labelSelectorText, nameColumn } from '@apiserver/resource-kit';
import { containerColumns, labelsText } from '../../workload/pod-columns.js';

const SPEC = 'io.k8s.api.apps.v1.DaemonSetSpec';
const STATUS = 'io.k8s.api.apps.v1.DaemonSetStatus';

/** Upstream: printDaemonSet of pkg/printers/internalversion/printers.go */
export const daemonSetColumns: readonly Column<DaemonSet>[] = [
  nameColumn,
  count('Desired', 'desiredNumberScheduled'),
  count('Current', 'currentNumberScheduled'),
  count('Ready', 'numberReady'),
  count('Up-to-date', 'updatedNumberScheduled'),
  count('Available', 'numberAvailable'),
  describedColumn('Node Selector', ['io.k8s.api.core.v1.PodSpec', 'nodeSelector'], ({ spec }) =>
    labelsText(spec.template.spec.nodeSelector),
  ),
  ageColumn,
  ...containerColumns<DaemonSet>(({ spec }) => spec.template),
  describedColumn('Selector', [SPEC, 'selector'], ({ spec }) => labelSelectorText(spec.selector ?? undefined), {
    priority: 1,
  }),
];

function count(
  name: string,
  field:
    | 'desiredNumberScheduled'
    | 'currentNumberScheduled'
    | 'numberReady'
    | 'updatedNumberScheduled'
    | 'numberAvailable',
): Column<DaemonSet> {
  return describedColumn(name, [STATUS, field], ({ status }) => status[field] ?? 0, { type: 'integer' });
}
