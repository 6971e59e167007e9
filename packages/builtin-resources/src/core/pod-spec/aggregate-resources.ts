import type { Container, PodSpec } from '@apiserver/api/core/v1';
import type { Quantity } from '@apiserver/apimachinery/values';
import { addResources, quantitiesOf, raiseResources } from '../validation/resource-list.js';
import { isHugePageResource } from '../validation/resource-name.js';
import { isRestartableInitContainer } from './visit-containers.js';

/** Whether a pod as a whole can ask for a resource. Upstream: IsSupportedPodLevelResource of k8s.io/component-helpers/resource */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResource(name);
}

/**
 * What the containers of a pod need at most at one time: the regular ones and the restartable init containers together,
 * or the greediest moment before.
 * Upstream: AggregateContainerRequests and AggregateContainerLimits of k8s.io/component-helpers/resource/helpers.go
 */
export function aggregateResources(spec: PodSpec, field: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  const restartable = new Map<string, Quantity>();
  const greediest = new Map<string, Quantity>();
  const amountsOf = ({ resources }: Container) => quantitiesOf(resources?.[field]);
  for (const container of spec.containers ?? []) addResources(sums, amountsOf(container));
  for (const container of spec.initContainers ?? []) {
    const amounts = amountsOf(container);
    if (isRestartableInitContainer(container)) {
      addResources(sums, amounts);
      addResources(restartable, amounts);
      raiseResources(greediest, restartable);
    } else {
      addResources(amounts, restartable);
      raiseResources(greediest, amounts);
    }
  }
  raiseResources(sums, greediest);
  return sums;
}
