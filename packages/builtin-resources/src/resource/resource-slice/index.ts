import { ResourceSlice } from '@apiserver/api/resource/v1';
import { defineResource } from '@apiserver/resource-kit';
import { resourceSliceColumns } from './columns.js';
import { resourceSliceDefaults } from './defaults.js';
import { resourceSliceStrategy } from './strategy.js';

/** ResourceSlices: the devices that a driver offers, each with a part of a pool. */
export const resourceSlices = defineResource<ResourceSlice>({
  versions: [{ schema: ResourceSlice, applyDefaults: resourceSliceDefaults({ now: () => Date.now() }) }],
  strategy: resourceSliceStrategy,
  columns: resourceSliceColumns,
  selectableFieldNames: ['spec.driver', 'spec.nodeName'],
  unknownFieldText: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  selectableFields: ({ spec }) => ({ 'spec.driver': spec.driver, 'spec.nodeName': spec.nodeName ?? '' }),
  returnDeletedObject: true,
});
