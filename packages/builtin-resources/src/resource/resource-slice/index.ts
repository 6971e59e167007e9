import { ResourceSlice } from '@apiserver/api/resource/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { WallClock } from '../../builtin-group.js';
import { resourceSliceColumns } from './columns.js';
import { resourceSliceDefaults } from './defaults.js';
import { resourceSliceStrategy } from './strategy.js';

/** ResourceSlices: the devices that a driver offers, each with a part of a pool. */
export function resourceSlices(clock: WallClock): ResourceDefinition<ResourceSlice> {
  return defineResource<ResourceSlice>({
    versions: [{ schema: ResourceSlice, applyDefaults: resourceSliceDefaults(clock) }],
    strategy: resourceSliceStrategy,
    columns: resourceSliceColumns,
    selectableFieldNames: ['spec.driver', 'spec.nodeName'],
    unknownFieldText: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
    selectableFields: ({ spec }) => ({ 'spec.driver': spec.driver, 'spec.nodeName': spec.nodeName ?? '' }),
    returnDeletedObject: true,
  });
}
