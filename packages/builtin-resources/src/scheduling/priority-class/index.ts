import { PriorityClass } from '@apiserver/api/scheduling/v1';
import { defineResource } from '@apiserver/resource-kit';
import { priorityClassColumns } from './columns.js';
import { applyPriorityClassDefaults } from './defaults.js';
import { deletePriorityClass } from './delete.js';
import { priorityClassStrategy } from './strategy.js';

/** PriorityClasses: named priorities of pods. */
export const priorityClasses = defineResource<PriorityClass>({
  shortNames: ['pc'],
  versions: [{ schema: PriorityClass, applyDefaults: applyPriorityClassDefaults }],
  strategy: priorityClassStrategy,
  columns: priorityClassColumns,
  storeHooks: { override: (generic) => ({ delete: deletePriorityClass(generic) }) },
});
