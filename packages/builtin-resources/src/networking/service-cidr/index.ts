import { ServiceCIDR } from '@apiserver/api/networking/v1';
import { defineResource } from '@apiserver/resource-kit';
import { serviceCIDRColumns } from './columns.js';
import { serviceCIDRStatusStrategy, serviceCIDRStrategy } from './strategy.js';

/** ServiceCIDRs: networks whose addresses Services may have. */
export const serviceCIDRs = defineResource<ServiceCIDR>({
  versions: [{ schema: ServiceCIDR }],
  strategy: serviceCIDRStrategy,
  columns: serviceCIDRColumns,
  subresources: { status: { strategy: serviceCIDRStatusStrategy } },
});
