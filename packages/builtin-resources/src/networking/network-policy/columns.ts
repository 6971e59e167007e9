import type { NetworkPolicy } from '@apiserver/api/networking/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, labelSelectorText, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printNetworkPolicy of pkg/printers/internalversion/printers.go */
export const networkPolicyColumns: readonly Column<NetworkPolicy>[] = [
  nameColumn,
  {
    name: 'Pod-Selector',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: 'io.k8s.api.networking.v1.NetworkPolicySpec', field: 'podSelector' },
    priority: 0,
    cell: ({ spec }) => labelSelectorText(spec.podSelector),
  },
  ageColumn,
];
