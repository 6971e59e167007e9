import { ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { type DeviceAccessOptions, withTemplateAccess } from '../access/with-device-access.js';
import { applyDeviceClaimDefaults } from '../resource-claim/defaults.js';
import { resourceClaimTemplateColumns } from './columns.js';
import { resourceClaimTemplateStrategy } from './strategy.js';

/** ResourceClaimTemplates: templates of claims, one for each pod. */
export function resourceClaimTemplateDeclaration(features: FeatureGates): ResourceDefinition<ResourceClaimTemplate> {
  return defineResource<ResourceClaimTemplate>({
    versions: [
      { schema: ResourceClaimTemplate, applyDefaults: ({ spec }) => applyDeviceClaimDefaults(spec.spec.devices) },
    ],
    strategy: resourceClaimTemplateStrategy(features),
    columns: resourceClaimTemplateColumns,
    returnDeletedObject: true,
  });
}

/** The kind for one server, with checks of device access. */
export function resourceClaimTemplates(
  access: DeviceAccessOptions,
  features: FeatureGates,
): ResourceDefinition<ResourceClaimTemplate> {
  return withTemplateAccess(resourceClaimTemplateDeclaration(features), access);
}
