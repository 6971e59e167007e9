import { ResourceQuota } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { resourceQuotaColumns } from './columns.js';
import { resourceQuotaStatusStrategy, resourceQuotaStrategy } from './strategy.js';

/** ResourceQuotas: how much a namespace may use. */
export const resourceQuotas = defineResource<ResourceQuota>({
  shortNames: ['quota'],
  versions: [{ schema: ResourceQuota }],
  strategy: resourceQuotaStrategy,
  columns: resourceQuotaColumns,
  subresources: { status: { strategy: resourceQuotaStatusStrategy } },
  returnDeletedObject: true,
});
