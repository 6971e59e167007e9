import { PodDisruptionBudget } from '@apiserver/api/policy/v1';
import { defineResource } from '@apiserver/resource-kit';
import { podDisruptionBudgetColumns } from './columns.js';
import { podDisruptionBudgetStatusStrategy, podDisruptionBudgetStrategy } from './strategy.js';

/** PodDisruptionBudgets: how many pods of a set may be away at a time. */
export const podDisruptionBudgets = defineResource<PodDisruptionBudget>({
  shortNames: ['pdb'],
  versions: [{ schema: PodDisruptionBudget }],
  strategy: podDisruptionBudgetStrategy,
  columns: podDisruptionBudgetColumns,
  subresources: { status: { strategy: podDisruptionBudgetStatusStrategy } },
});
