import { ResourceClaim } from '@apiserver/api/resource/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { type DeviceAccessOptions, withClaimAccess } from '../access/with-device-access.js';
import { resourceClaimColumns } from './columns.js';
import { applyDeviceClaimDefaults } from './defaults.js';
import { resourceClaimStatusStrategy, resourceClaimStrategy } from './strategy.js';

/** ResourceClaims: requested devices, their allocation, and their users. */
export const resourceClaimDeclaration = defineResource<ResourceClaim>({
  versions: [{ schema: ResourceClaim, applyDefaults: ({ spec }) => applyDeviceClaimDefaults(spec.devices) }],
  strategy: resourceClaimStrategy,
  columns: resourceClaimColumns,
  subresources: { status: { strategy: resourceClaimStatusStrategy } },
  returnDeletedObject: true,
});

/** The kind for one server, with checks of device access. */
export function resourceClaims(access: DeviceAccessOptions): ResourceDefinition<ResourceClaim> {
  return withClaimAccess(resourceClaimDeclaration, resourceClaimStatusStrategy, access);
}
