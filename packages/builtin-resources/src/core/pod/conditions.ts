import type { PodCondition, PodStatus } from '@apiserver/api/core/v1';

/** A condition to be set; when it changed is worked out. */
export type NewPodCondition = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * Sets a condition of a pod, at the end where it is new. The time of transition stays while the status does. Mutates.
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
