import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { podDisruptionBudgets } from './pod-disruption-budget/index.js';

/** The resources of policy. */
export const policyResources: readonly AnyResourceDefinition[] = [podDisruptionBudgets];
