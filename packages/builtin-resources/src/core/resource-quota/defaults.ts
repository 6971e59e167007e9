import type { ResourceQuota } from '@apiserver/api/core/v1';
import { roundUpAmounts } from '../resource-amounts.js';

/** Mutates. Upstream: SetObjectDefaults_ResourceQuota of pkg/apis/core/v1/zz_generated.defaults.go */
export function applyResourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  for (const list of [spec.hard, status.hard, status.used]) roundUpAmounts(list);
}
