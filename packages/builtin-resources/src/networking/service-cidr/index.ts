import { ServiceCIDR } from '@apiserver/api/networking/v1';
import { ServiceCIDR as ServiceCIDRBeta } from '@apiserver/api/networking/v1beta1';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { serviceCIDRColumns } from './columns.js';
import { serviceCIDRStatusStrategy, serviceCIDRStrategy } from './strategy.js';

/** ServiceCIDRs: networks for the addresses of Services. */
export const serviceCIDRs = defineResource<ServiceCIDR>({
  versions: [{ schema: ServiceCIDR }, { schema: ServiceCIDRBeta, ...sameFields('networking.k8s.io', 'v1beta1') }],
  strategy: serviceCIDRStrategy,
  columns: serviceCIDRColumns,
  subresources: { status: { strategy: serviceCIDRStatusStrategy } },
});
