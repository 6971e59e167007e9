import type { PriorityClass } from '@apiserver/api/scheduling/v1';

/** Mutates. Upstream: SetDefaults_PriorityClass of pkg/apis/scheduling/v1/defaults.go */
export function applyPriorityClassDefaults(priorityClass: PriorityClass): void {
  priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
}
