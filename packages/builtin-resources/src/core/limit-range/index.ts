import { LimitRange } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { limitRangeColumns } from './columns.js';
import { applyLimitRangeDefaults } from './defaults.js';
import { limitRangeStrategy } from './strategy.js';

/** LimitRanges: how much one pod, container or volume claim of a namespace may ask for. */
export const limitRanges = defineResource<LimitRange>({
  shortNames: ['limits'],
  versions: [{ schema: LimitRange, applyDefaults: applyLimitRangeDefaults }],
  strategy: limitRangeStrategy,
  columns: limitRangeColumns,
});
