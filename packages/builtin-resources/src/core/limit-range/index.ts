import { LimitRange } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { limitRangeColumns } from './columns.js';
import { applyLimitRangeDefaults } from './defaults.js';
import { limitRangeStrategy } from './strategy.js';

/** LimitRanges: limits and defaults for single pods, containers or volume claims of a namespace. */
export const limitRanges = defineResource<LimitRange>({
  shortNames: ['limits'],
  versions: [{ schema: LimitRange, applyDefaults: applyLimitRangeDefaults }],
  strategy: limitRangeStrategy,
  columns: limitRangeColumns,
  emptyRowsAreNull: true,
});
