import type { ComponentCondition, ComponentStatus } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { nameColumn } from '@apiserver/resource-kit';

function column(
  name: string,
  description: string,
  shown: (healthy: ComponentCondition | undefined) => string,
): Column<ComponentStatus> {
  const cell: Column<ComponentStatus>['cell'] = ({ conditions = [] }) =>
    shown(conditions.find(({ type }) => type === 'Healthy'));
  return { name, type: 'string', format: '', description, priority: 0, cell };
}

/** Upstream: printComponentStatus of pkg/printers/internalversion/printers.go */
export const componentStatusColumns: readonly Column<ComponentStatus>[] = [
  nameColumn,
  column('Status', 'Status of the component conditions', (healthy) => {
    if (healthy === undefined) return 'Unknown';
    return healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
  }),
  column('Message', 'Message of the component conditions', (healthy) => healthy?.message ?? ''),
  column('Error', 'Error of the component conditions', (healthy) => healthy?.error ?? ''),
];
