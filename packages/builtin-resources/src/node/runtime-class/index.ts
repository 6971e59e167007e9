import { RuntimeClass } from '@apiserver/api/node/v1';
import { defineResource } from '@apiserver/resource-kit';
import { roundUpAmounts } from '../../core/resource-amounts.js';
import { runtimeClassColumns } from './columns.js';
import { runtimeClassStrategy } from './strategy.js';

/** RuntimeClasses: the runtime of containers, its overhead, and its nodes. */
export const runtimeClasses = defineResource<RuntimeClass>({
  versions: [{ schema: RuntimeClass, applyDefaults: ({ overhead }) => roundUpAmounts(overhead?.podFixed) }],
  strategy: runtimeClassStrategy,
  columns: runtimeClassColumns,
});
