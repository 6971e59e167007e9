import { CSIDriver } from '@apiserver/api/storage/v1';
import { defineResource } from '@apiserver/resource-kit';
import { csiDriverColumns } from './columns.js';
import { applyCSIDriverDefaults } from './defaults.js';
import { csiDriverStrategy } from './strategy.js';

/** CSIDrivers: capabilities and requirements of a volume driver. */
export const csiDrivers = defineResource<CSIDriver>({
  versions: [{ schema: CSIDriver, applyDefaults: applyCSIDriverDefaults }],
  strategy: csiDriverStrategy,
  columns: csiDriverColumns,
  returnDeletedObject: true,
});
