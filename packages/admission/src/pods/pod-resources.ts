import type { PodSpec } from '@apiserver/api/core/v1';
import { amountsOf, type ResourceList } from '@apiserver/apimachinery/values';

/** Reports whether a pod has pod-level cpu, memory or huge pages. Upstream: IsPodLevelResourcesSet */
export function hasPodResources({ resources }: PodSpec): boolean {
  const supported = (list: ResourceList | undefined) =>
    Object.keys(list ?? {}).some((name) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-'));
  return supported(resources?.requests) || supported(resources?.limits);
}

/** Reports whether neither the pod nor its containers request cpu or memory. Upstream: ComputePodQOS */
export function isBestEffortPod(spec: PodSpec): boolean {
  const places = hasPodResources(spec)
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources);
  return places.every((resources) =>
    [...amountsOf(resources?.requests), ...amountsOf(resources?.limits)].every(
      ([name, amount]) => (name !== 'cpu' && name !== 'memory') || amount.sign <= 0,
    ),
  );
}
