import { DeviceClass } from '@apiserver/api/resource/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { deviceClassColumns } from './columns.js';
import { deviceClassStrategy } from './strategy.js';

/** DeviceClasses: named sets of device requirements. */
export function deviceClasses(features: FeatureGates): ResourceDefinition<DeviceClass> {
  return defineResource<DeviceClass>({
    versions: [{ schema: DeviceClass }],
    strategy: deviceClassStrategy(features),
    columns: deviceClassColumns,
    returnDeletedObject: true,
  });
}
