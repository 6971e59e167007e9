import { ConfigMap } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { configMapColumns } from './columns.js';
import { configMapStrategy } from './strategy.js';

/** ConfigMaps: named values for programs. */
export const configMaps = defineResource<ConfigMap>({
  shortNames: ['cm'],
  versions: [{ schema: ConfigMap }],
  strategy: configMapStrategy,
  columns: configMapColumns,
});
