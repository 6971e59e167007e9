import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { podDisruptionBudgets } from './pod-disruption-budget/index.js';

/** The resources of policy. */
export function policyGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('policy', [install(podDisruptionBudgets)]);
}
