import type { APIService, APIServiceCondition } from '@apiserver/api/apiregistration/v1';

/** A condition without its time. */
export type NewCondition = Required<Pick<APIServiceCondition, 'status' | 'reason' | 'message'>>;

/** What an APIService without a service says of itself. Upstream: NewLocalAvailableAPIServiceCondition */
export const LOCAL_AVAILABLE: NewCondition = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** The condition of a type, if it has been set. */
export function findCondition({ status }: Pick<APIService, 'status'>, type: string): APIServiceCondition | undefined {
  return (status.conditions ?? []).find((condition) => condition.type === type);
}

/** Whether requests for it can be answered. */
export function isAvailable(apiService: Pick<APIService, 'status'>): boolean {
  return findCondition(apiService, 'Available')?.status === 'True';
}

/**
 * Sets the condition Available; its time moves only when the status does. Mutates.
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
