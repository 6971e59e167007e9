import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printServiceCIDR of pkg/printers/internalversion/printers.go */
export const serviceCIDRColumns: readonly Column<ServiceCIDR>[] = [
  nameColumn,
  describedColumn('CIDRs', ['io.k8s.api.networking.v1.ServiceCIDRSpec', 'cidrs'], ({ spec }) =>
    (spec.cidrs ?? []).join(','),
  ),
  ageColumn,
];
