import { ResourceClaim } from '@apiserver/api/resource/v1';
import { defineResource } from '@apiserver/resource-kit';
import { resourceClaimColumns } from './columns.js';
import { applyDeviceClaimDefaults } from './defaults.js';
import { resourceClaimStatusStrategy, resourceClaimStrategy } from './strategy.js';

/** ResourceClaims: which devices are wanted, which are given, and to whom. */
export const resourceClaims = defineResource<ResourceClaim>({
  versions: [{ schema: ResourceClaim, applyDefaults: ({ spec }) => applyDeviceClaimDefaults(spec.devices) }],
  strategy: resourceClaimStrategy,
  columns: resourceClaimColumns,
  subresources: { status: { strategy: resourceClaimStatusStrategy } },
  returnDeletedObject: true,
});
