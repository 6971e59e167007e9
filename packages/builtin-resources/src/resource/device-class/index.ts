import { DeviceClass } from '@apiserver/api/resource/v1';
import { DeviceClass as DeviceClassBeta1 } from '@apiserver/api/resource/v1beta1';
import { DeviceClass as DeviceClassBeta2 } from '@apiserver/api/resource/v1beta2';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { deviceClassColumns } from './columns.js';
import { deviceClassStrategy } from './strategy.js';

/** DeviceClasses: named sets of device requirements. */
export function deviceClasses(features: FeatureGates): ResourceDefinition<DeviceClass> {
  return defineResource<DeviceClass>({
    versions: [
      { schema: DeviceClass },
      { schema: DeviceClassBeta2, ...sameFields('resource.k8s.io', 'v1beta2') },
      { schema: DeviceClassBeta1, ...sameFields('resource.k8s.io', 'v1beta1') },
    ],
    strategy: deviceClassStrategy(features),
    columns: deviceClassColumns,
    returnDeletedObject: true,
  });
}
