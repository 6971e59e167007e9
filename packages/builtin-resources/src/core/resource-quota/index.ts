import { ResourceQuota } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { resourceQuotaColumns } from './columns.js';
import { applyResourceQuotaDefaults } from './defaults.js';
import { resourceQuotaStatusStrategy, resourceQuotaStrategy } from './strategy.js';

/** ResourceQuotas: limits for the total usage of a namespace. */
export const resourceQuotas = defineResource<ResourceQuota>({
  shortNames: ['quota'],
  versions: [{ schema: ResourceQuota, applyDefaults: applyResourceQuotaDefaults }],
  strategy: resourceQuotaStrategy,
  columns: resourceQuotaColumns,
  subresources: { status: { strategy: resourceQuotaStatusStrategy } },
  returnDeletedObject: true,
});
