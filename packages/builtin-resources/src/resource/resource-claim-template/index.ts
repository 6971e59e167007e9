import { ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { type DeviceAccessOptions, withTemplateAccess } from '../access/with-device-access.js';
import { applyDeviceClaimDefaults } from '../resource-claim/defaults.js';
import { resourceClaimTemplateColumns } from './columns.js';
import { resourceClaimTemplateStrategy } from './strategy.js';

/** ResourceClaimTemplates: templates of claims, one for each pod. */
export const resourceClaimTemplateDeclaration = defineResource<ResourceClaimTemplate>({
  versions: [
    { schema: ResourceClaimTemplate, applyDefaults: ({ spec }) => applyDeviceClaimDefaults(spec.spec.devices) },
  ],
  strategy: resourceClaimTemplateStrategy,
  columns: resourceClaimTemplateColumns,
  returnDeletedObject: true,
});

/** The kind for one server, with checks of device access. */
export function resourceClaimTemplates(access: DeviceAccessOptions): ResourceDefinition<ResourceClaimTemplate> {
  return withTemplateAccess(resourceClaimTemplateDeclaration, access);
}
