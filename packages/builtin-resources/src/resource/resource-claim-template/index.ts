import { ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import { defineResource } from '@apiserver/resource-kit';
import { applyDeviceClaimDefaults } from '../resource-claim/defaults.js';
import { resourceClaimTemplateColumns } from './columns.js';
import { resourceClaimTemplateStrategy } from './strategy.js';

/** ResourceClaimTemplates: what claims are made from, one for each pod. */
export const resourceClaimTemplates = defineResource<ResourceClaimTemplate>({
  versions: [
    { schema: ResourceClaimTemplate, applyDefaults: ({ spec }) => applyDeviceClaimDefaults(spec.spec.devices) },
  ],
  strategy: resourceClaimTemplateStrategy,
  columns: resourceClaimTemplateColumns,
  returnDeletedObject: true,
});
