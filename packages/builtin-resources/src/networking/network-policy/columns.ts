import type { NetworkPolicy } from '@apiserver/api/networking/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, labelSelectorText, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printNetworkPolicy of pkg/printers/internalversion/printers.go */
export const networkPolicyColumns: readonly Column<NetworkPolicy>[] = [
  nameColumn,
  describedColumn('Pod-Selector', ['io.k8s.api.networking.v1.NetworkPolicySpec', 'podSelector'], ({ spec }) =>
    labelSelectorText(spec.podSelector),
  ),
  ageColumn,
];
