import { type PodDisruptionBudget, PodDisruptionBudgetSpec } from '@apiserver/api/policy/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatus,
  validatePodDisruptionBudgetUpdate,
} from './validation.js';

/** Upstream: pkg/registry/policy/poddisruptionbudget/strategy.go */
export const podDisruptionBudgetStrategy: Strategy<PodDisruptionBudget> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  resetFields: ['status'],
  prepareForCreate(_context, budget) {
    budget.status = emptyStatus();
    budget.metadata.generation = 1;
  },
  validate: (_context, budget) => validatePodDisruptionBudget(budget),
  prepareForUpdate(_context, budget, old) {
    budget.status = cloneJson(old.status);
    countSpecChange(budget, old, PodDisruptionBudgetSpec);
  },
  validateUpdate: (_context, budget, old) => validatePodDisruptionBudgetUpdate(budget, old),
};

/** Strategy of the status endpoint. */
export const podDisruptionBudgetStatusStrategy: Strategy<PodDisruptionBudget> = {
  ...podDisruptionBudgetStrategy,
  resetFields: ['spec'],
  prepareForUpdate(_context, budget, old) {
    budget.spec = cloneJson(old.spec);
  },
  validateUpdate: (_context, budget) => validatePodDisruptionBudgetStatus(budget),
};

/** Counts are always present, even if zero. */
function emptyStatus(): PodDisruptionBudget['status'] {
  return { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
}
