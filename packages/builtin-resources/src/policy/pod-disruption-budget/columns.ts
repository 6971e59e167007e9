import type { PodDisruptionBudget } from '@apiserver/api/policy/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

const NOT_SET = 'N/A';

/** Upstream: printPodDisruptionBudget of pkg/printers/internalversion/printers.go */
export const podDisruptionBudgetColumns: readonly Column<PodDisruptionBudget>[] = [
  nameColumn,
  {
    name: 'Min Available',
    type: 'string',
    format: '',
    description: 'The minimum number of pods that must be available.',
    priority: 0,
    cell: ({ spec }) => String(spec.minAvailable ?? NOT_SET),
  },
  {
    name: 'Max Unavailable',
    type: 'string',
    format: '',
    description: 'The maximum number of pods that may be unavailable.',
    priority: 0,
    cell: ({ spec }) => String(spec.maxUnavailable ?? NOT_SET),
  },
  {
    name: 'Allowed Disruptions',
    type: 'integer',
    format: '',
    description: 'Calculated number of pods that may be disrupted at this time.',
    priority: 0,
    cell: ({ status }) => status.disruptionsAllowed ?? 0,
  },
  ageColumn,
];
