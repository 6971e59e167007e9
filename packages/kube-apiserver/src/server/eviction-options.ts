import type { PodDisruptionBudget } from '@apiserver/api/policy/v1';
import { sleep } from '@apiserver/apimachinery/clock';
import type { EvictionOptions } from '@apiserver/builtin-resources';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

const BUDGETS = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };

/** Dependencies of evictions on the server. Nothing is read before the first pod is evicted. */
export function evictionOptionsOf({ generic }: CompletedKubeApiServerConfig): EvictionOptions {
  const { clock, loopback, random } = generic;
  return {
    budgets: loopback.client.resource<PodDisruptionBudget>(BUDGETS),
    retry: { random, sleep: (milliseconds) => sleep(clock, milliseconds) },
  };
}
