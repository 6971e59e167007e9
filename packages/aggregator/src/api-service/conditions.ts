import type { APIService, APIServiceCondition } from '@apiserver/api/apiregistration/v1';

/** A condition without its transition time. */
export type NewCondition = Required<Pick<APIServiceCondition, 'status' | 'reason' | 'message'>>;

/** The condition of an APIService without a service. Upstream: NewLocalAvailableAPIServiceCondition */
export const LOCAL_AVAILABLE: NewCondition = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** The condition of the given type, if it is set. */
export function findCondition({ status }: Pick<APIService, 'status'>, type: string): APIServiceCondition | undefined {
  return (status.conditions ?? []).find((condition) => condition.type === type);
}

/** Reports whether the APIService is available. */
export function isAvailable(apiService: Pick<APIService, 'status'>): boolean {
  return findCondition(apiService, 'Available')?.status === 'True';
}

/**
 * Sets the condition Available; its transition time changes only with the status. Mutates.
 * Upstream: SetAPIServiceCondition of k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper
 */
export function setAvailable(apiService: APIService, condition: NewCondition, now: string): void {
  const existing = findCondition(apiService, 'Available');
  if (existing === undefined) {
    const { status, reason, message } = condition;
    const made = { type: 'Available', status, lastTransitionTime: now, reason, message };
    apiService.status.conditions = [...(apiService.status.conditions ?? []), made];
    return;
  }
  if (existing.status !== condition.status) existing.lastTransitionTime = now;
  Object.assign(existing, condition);
}
