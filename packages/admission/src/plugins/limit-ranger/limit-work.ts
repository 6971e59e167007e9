import type { LimitRange, LimitRangeItem, Pod } from '@apiserver/api/core/v1';
import { newRequestEntityTooLarge } from '@apiserver/apimachinery/errors';

/**
 * Amounts of limit ranges that may apply to one pod, counted for each container. Upstream has no bound: 8,000 defaults
 * for 8,000 containers exhaust the memory.
 */
const MAX_AMOUNTS = 100_000;

/** Throws a StatusError (413) for a pod to which too many amounts apply. */
export function refuseExcessiveLimits(limitRanges: readonly LimitRange[], { spec }: Pod): void {
  const containers = (spec.containers?.length ?? 0) + (spec.initContainers?.length ?? 0);
  const items = limitRanges.flatMap((limitRange) => limitRange.spec.limits ?? []);
  const amounts = items.reduce((sum, item) => sum + amountsIn(item) * (item.type === 'Container' ? containers : 1), 0);
  if (amounts <= MAX_AMOUNTS) return;
  const where = 'the limit ranges of the namespace apply';
  throw newRequestEntityTooLarge(
    `${where} ${amounts} amounts to the containers of the pod, at most ${MAX_AMOUNTS} are allowed`,
  );
}

function amountsIn({ min, max, maxLimitRequestRatio, default: limits, defaultRequest }: LimitRangeItem): number {
  const lists = [min, max, maxLimitRequestRatio, limits, defaultRequest];
  return lists.reduce((sum, list) => sum + Object.keys(list ?? {}).length, 0);
}
