import { isHugePageResource } from '../validation/resource-name.js';

/**
 * Reports whether a resource is supported at the pod level.
 * Upstream: IsSupportedPodLevelResource of k8s.io/component-helpers/resource
 */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResource(name);
}
