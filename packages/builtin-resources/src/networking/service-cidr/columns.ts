import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '../../columns/common-columns.js';

/** Upstream: printServiceCIDR of pkg/printers/internalversion/printers.go */
export const serviceCIDRColumns: readonly Column<ServiceCIDR>[] = [
  nameColumn,
  {
    name: 'CIDRs',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: 'io.k8s.api.networking.v1.ServiceCIDRSpec', field: 'cidrs' },
    priority: 0,
    cell: ({ spec }) => (spec.cidrs ?? []).join(','),
  },
  ageColumn,
];
