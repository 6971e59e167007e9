import { DeviceClass } from '@apiserver/api/resource/v1';
import { defineResource } from '@apiserver/resource-kit';
import { deviceClassColumns } from './columns.js';
import { deviceClassStrategy } from './strategy.js';

/** DeviceClasses: what devices of a kind have in common, by name. */
export const deviceClasses = defineResource<DeviceClass>({
  versions: [{ schema: DeviceClass }],
  strategy: deviceClassStrategy,
  columns: deviceClassColumns,
  returnDeletedObject: true,
});
