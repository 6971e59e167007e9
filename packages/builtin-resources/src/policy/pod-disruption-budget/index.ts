import { PodDisruptionBudget } from '@apiserver/api/policy/v1';
import { defineResource } from '@apiserver/resource-kit';
import { podDisruptionBudgetColumns } from './columns.js';
import { podDisruptionBudgetStatusStrategy, podDisruptionBudgetStrategy } from './strategy.js';

/** PodDisruptionBudgets: limits for the number of pods of a set that are disrupted at a time. */
export const podDisruptionBudgets = defineResource<PodDisruptionBudget>({
  shortNames: ['pdb'],
  versions: [{ schema: PodDisruptionBudget }],
  strategy: podDisruptionBudgetStrategy,
  columns: podDisruptionBudgetColumns,
  subresources: { status: { strategy: podDisruptionBudgetStatusStrategy } },
});
