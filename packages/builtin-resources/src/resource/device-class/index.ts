import { DeviceClass } from '@apiserver/api/resource/v1';
import { defineResource } from '@apiserver/resource-kit';
import { deviceClassColumns } from './columns.js';
import { deviceClassStrategy } from './strategy.js';

/** DeviceClasses: named sets of device requirements. */
export const deviceClasses = defineResource<DeviceClass>({
  versions: [{ schema: DeviceClass }],
  strategy: deviceClassStrategy,
  columns: deviceClassColumns,
  returnDeletedObject: true,
});
