import type { LimitRange, LimitRangeItem } from '@apiserver/api/core/v1';
import { roundUpAmounts } from '../resource-amounts.js';

/** Mutates. Upstream: SetDefaults_LimitRangeItem of pkg/apis/core/v1/defaults.go */
export function applyLimitRangeDefaults({ spec }: LimitRange): void {
  for (const item of spec.limits ?? []) {
    if (item.type === 'Container') applyContainerDefaults(item);
    const { max, min, default: limits, defaultRequest, maxLimitRequestRatio } = item;
    for (const list of [max, min, limits, defaultRequest, maxLimitRequestRatio]) roundUpAmounts(list);
  }
}

/**
 * The default limit is the maximum; the default request is the default limit, or the minimum. Upstream makes both, which
 * equals leaving out both where they are empty.
 */
function applyContainerDefaults(item: LimitRangeItem): void {
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  item.default = limits;
  item.defaultRequest = requests;
  if (Object.keys(limits).length === 0) delete item.default;
  if (Object.keys(requests).length === 0) delete item.defaultRequest;
}
