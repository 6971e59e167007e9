import { ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import { ResourceClaimTemplate as ResourceClaimTemplateBeta2 } from '@apiserver/api/resource/v1beta2';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { type DeviceAccessOptions, withTemplateAccess } from '../access/with-device-access.js';
import { applyDeviceClaimDefaults } from '../resource-claim/defaults.js';
import { resourceClaimTemplateBeta } from '../v1beta1/versions.js';
import { resourceClaimTemplateColumns } from './columns.js';
import { resourceClaimTemplateStrategy } from './strategy.js';

const applyDefaults = ({ spec }: ResourceClaimTemplate) => applyDeviceClaimDefaults(spec.spec.devices);

/** ResourceClaimTemplates: templates of claims, one for each pod. */
export function resourceClaimTemplateDeclaration(features: FeatureGates): ResourceDefinition<ResourceClaimTemplate> {
  return defineResource<ResourceClaimTemplate>({
    versions: [
      { schema: ResourceClaimTemplate, applyDefaults },
      { schema: ResourceClaimTemplateBeta2, applyDefaults, ...sameFields('resource.k8s.io', 'v1beta2') },
      resourceClaimTemplateBeta,
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
