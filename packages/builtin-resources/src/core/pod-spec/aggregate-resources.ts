import type { Container, PodSpec } from '@apiserver/api/core/v1';
import { addAmounts, amountsOf, type Quantity, raiseAmounts } from '@apiserver/apimachinery/values';
import { isHugePageResource } from '../validation/resource-name.js';
import { isRestartableInitContainer } from './visit-containers.js';

/**
 * Reports whether a resource is supported at the pod level.
 * Upstream: IsSupportedPodLevelResource of k8s.io/component-helpers/resource
 */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResource(name);
}

/**
 * The most that a pod's containers need at one time. This is the sum of regular and restartable init containers, or
 * the peak during initialization if that is greater.
 * Upstream: AggregateContainerRequests and AggregateContainerLimits of k8s.io/component-helpers/resource/helpers.go
 */
export function aggregateResources(spec: PodSpec, field: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  const restartable = new Map<string, Quantity>();
  const greediest = new Map<string, Quantity>();
  const amountsIn = ({ resources }: Container) => amountsOf(resources?.[field]);
  for (const container of spec.containers ?? []) addAmounts(sums, amountsIn(container));
  for (const container of spec.initContainers ?? []) {
    const amounts = amountsIn(container);
    if (isRestartableInitContainer(container)) {
      addAmounts(sums, amounts);
      addAmounts(restartable, amounts);
      raiseAmounts(greediest, restartable);
    } else {
      addAmounts(amounts, restartable);
      raiseAmounts(greediest, amounts);
    }
  }
  raiseAmounts(sums, greediest);
  return sums;
}
