import { ResourcePoolStatusRequest } from '@apiserver/api/resource/v1alpha3';
import { defineResource } from '@apiserver/resource-kit';
import { resourcePoolStatusRequestColumns } from './columns.js';
import { resourcePoolStatusRequestStatusStrategy, resourcePoolStatusRequestStrategy } from './strategy.js';

/** ResourcePoolStatusRequests: a question about the pools of a driver, and the controller's answer to it. */
export const resourcePoolStatusRequests = defineResource<ResourcePoolStatusRequest>({
  versions: [{ schema: ResourcePoolStatusRequest }],
  strategy: resourcePoolStatusRequestStrategy,
  columns: resourcePoolStatusRequestColumns,
  subresources: { status: { strategy: resourcePoolStatusRequestStatusStrategy } },
  returnDeletedObject: true,
});
