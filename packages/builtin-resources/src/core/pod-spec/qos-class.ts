import type { PodSpec, ResourceRequirements } from '@apiserver/api/core/v1';
import { addAmounts, amountsOf, type Quantity, type ResourceList } from '@apiserver/apimachinery/values';
import type { PodFeatures } from './pod-features.js';

const COUNTED = ['cpu', 'memory'];

/**
 * The QoS class of a pod, from its requests and limits. Those of the pod itself count with the feature PodLevelResources.
 * Upstream: ComputePodQOS of pkg/apis/core/v1/helper/qos/qos.go
 */
export function qosClassOf(spec: PodSpec, features: PodFeatures): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const { requests, limits, allLimited } = countedResources(spec, features);
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  if (!allLimited || requests.size !== limits.size) return 'Burstable';
  const equal = [...requests].every(([name, amount]) => limits.get(name)?.equals(amount) ?? false);
  return equal ? 'Guaranteed' : 'Burstable';
}

interface Counted {
  readonly requests: ReadonlyMap<string, Quantity>;
  readonly limits: ReadonlyMap<string, Quantity>;
  /** Each container, or the pod itself, has limits of cpu and memory. */
  readonly allLimited: boolean;
}

/** Pod-level resources take precedence over those of containers. */
function countedResources(spec: PodSpec, { PodLevelResources }: PodFeatures): Counted {
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  const resources = (PodLevelResources ? spec.resources : undefined) ?? {};
  const ofPod = resources.requests !== undefined || resources.limits !== undefined;
  const places = ofPod
    ? [resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container) => container.resources);
  let allLimited = true;
  for (const place of places) {
    const limited = counted(place, 'limits');
    addAmounts(requests, counted(place, 'requests'));
    addAmounts(limits, limited);
    if (limited.size < COUNTED.length) allLimited = false;
  }
  return { requests, limits, allLimited };
}

function counted(resources: ResourceRequirements | undefined, field: 'requests' | 'limits'): Map<string, Quantity> {
  const list: ResourceList | undefined = resources?.[field];
  return new Map([...amountsOf(list)].filter(([name, amount]) => COUNTED.includes(name) && amount.sign > 0));
}
