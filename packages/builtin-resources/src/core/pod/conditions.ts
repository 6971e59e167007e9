import type { PodCondition, PodStatus } from '@apiserver/api/core/v1';

/** A condition to set; its transition time is computed. */
export type NewPodCondition = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * Sets a condition of a pod, or appends it. The transition time changes only with the status. Mutates.
 * Upstream: UpdatePodCondition of pkg/api/pod/util.go
 */
export function setPodCondition(status: PodStatus, condition: NewPodCondition, now: string): void {
  const { conditions = [] } = status;
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
  const changed: PodCondition = { lastProbeTime: null, ...condition, lastTransitionTime: lastTransitionTime ?? null };
  status.conditions =
    old === undefined ? [...conditions, changed] : conditions.map((one) => (one === old ? changed : one));
}
