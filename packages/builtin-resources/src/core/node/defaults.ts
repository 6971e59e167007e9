import type { Node } from '@apiserver/api/core/v1';
import { roundUpAmounts } from '../resource-amounts.js';

/**
 * The default of allocatable is the capacity. Mutates.
 * Upstream: SetDefaults_NodeStatus of pkg/apis/core/v1/defaults.go
 */
export function applyNodeDefaults({ status }: Node): void {
  if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity };
  roundUpAmounts(status.capacity);
  roundUpAmounts(status.allocatable);
}
