import { ResourceSlice } from '@apiserver/api/resource/v1';
import { ResourceSlice as ResourceSliceBeta2 } from '@apiserver/api/resource/v1beta2';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { WallClock } from '../../builtin-group.js';
import { sameFields } from '../../same-fields.js';
import { resourceSliceBeta } from '../v1beta1/versions.js';
import { resourceSliceColumns } from './columns.js';
import { resourceSliceDefaults } from './defaults.js';
import { resourceSliceStrategy } from './strategy.js';

/** ResourceSlices: the devices that a driver offers, each with a part of a pool. */
export function resourceSlices(clock: WallClock, features: FeatureGates): ResourceDefinition<ResourceSlice> {
  const applyDefaults = resourceSliceDefaults(clock);
  return defineResource<ResourceSlice>({
    versions: [
      { schema: ResourceSlice, applyDefaults },
      { schema: ResourceSliceBeta2, applyDefaults, ...sameFields('resource.k8s.io', 'v1beta2') },
      resourceSliceBeta(clock),
    ],
    strategy: resourceSliceStrategy(features),
    columns: resourceSliceColumns,
    selectableFieldNames: ['spec.driver', 'spec.nodeName'],
    unknownFieldText: (field, version) =>
      `field label not supported for resource.k8s.io/${version}, Kind=ResourceSlice: ${field}`,
    selectableFields: ({ spec }) => ({ 'spec.driver': spec.driver, 'spec.nodeName': spec.nodeName ?? '' }),
    returnDeletedObject: true,
  });
}
