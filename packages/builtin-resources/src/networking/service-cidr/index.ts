import { ServiceCIDR } from '@apiserver/api/networking/v1';
import { defineResource } from '@apiserver/resource-kit';
import { serviceCIDRColumns } from './columns.js';
import { serviceCIDRStatusStrategy, serviceCIDRStrategy } from './strategy.js';

/** ServiceCIDRs: networks for the addresses of Services. */
export const serviceCIDRs = defineResource<ServiceCIDR>({
  versions: [{ schema: ServiceCIDR }],
  strategy: serviceCIDRStrategy,
  columns: serviceCIDRColumns,
  subresources: { status: { strategy: serviceCIDRStatusStrategy } },
});
