import { ResourceClaim } from '@apiserver/api/resource/v1';
import { ResourceClaim as ResourceClaimBeta2 } from '@apiserver/api/resource/v1beta2';
import type { FeatureGates, ResourceDefinition, Strategy } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { type DeviceAccessOptions, withClaimAccess } from '../access/with-device-access.js';
import { resourceClaimBeta } from '../v1beta1/versions.js';
import { resourceClaimColumns } from './columns.js';
import { applyDeviceClaimDefaults } from './defaults.js';
import { resourceClaimStatusStrategy, resourceClaimStrategy } from './strategy.js';

const applyDefaults = ({ spec }: ResourceClaim) => applyDeviceClaimDefaults(spec.devices);

/** ResourceClaims: requested devices, their allocation, and their users. */
export function resourceClaimDeclaration(features: FeatureGates): {
  readonly definition: ResourceDefinition<ResourceClaim>;
  readonly statusStrategy: Strategy<ResourceClaim>;
} {
  const strategy = resourceClaimStrategy(features);
  const statusStrategy = resourceClaimStatusStrategy(strategy, features);
  const definition = defineResource<ResourceClaim>({
    versions: [
      { schema: ResourceClaim, applyDefaults },
      { schema: ResourceClaimBeta2, applyDefaults, ...sameFields('resource.k8s.io', 'v1beta2') },
      resourceClaimBeta,
    ],
    strategy,
    columns: resourceClaimColumns,
    subresources: { status: { strategy: statusStrategy } },
    returnDeletedObject: true,
  });
  return { definition, statusStrategy };
}

/** The kind for one server, with checks of device access. */
export function resourceClaims(access: DeviceAccessOptions, features: FeatureGates): ResourceDefinition<ResourceClaim> {
  const { definition, statusStrategy } = resourceClaimDeclaration(features);
  const isGranular = features.enabled('DRAResourceClaimGranularStatusAuthorization');
  return withClaimAccess(definition, statusStrategy, { ...access, isGranular });
}
