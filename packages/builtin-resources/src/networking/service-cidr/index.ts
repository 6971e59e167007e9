import { ServiceCIDR } from '@apiserver/api/networking/v1';
import { ServiceCIDR as ServiceCIDRBeta } from '@apiserver/api/networking/v1beta1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { serviceCIDRColumns } from './columns.js';
import { serviceCIDRStatusStrategy, serviceCIDRStrategy } from './strategy.js';

/** ServiceCIDRs: networks for the addresses of Services. */
export function serviceCIDRs(features: FeatureGates): ResourceDefinition<ServiceCIDR> {
  const strategy = serviceCIDRStrategy(features);
  return defineResource<ServiceCIDR>({
    versions: [{ schema: ServiceCIDR }, { schema: ServiceCIDRBeta, ...sameFields('networking.k8s.io', 'v1beta1') }],
    strategy,
    columns: serviceCIDRColumns,
    subresources: { status: { strategy: serviceCIDRStatusStrategy(strategy) } },
  });
}
