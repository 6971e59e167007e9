import type { Container, PodSpec } from '@apiserver/api/core/v1';
import { Quantity } from '@apiserver/apimachinery/values';

/** Quantities by resource name, as in API objects. */
export type ResourceList = Readonly<Record<string, string>>;

/** Parsed quantities by resource name. */
export type Amounts = Map<string, Quantity>;

/** Selects the requests or the limits of a container or pod. */
export type ResourceField = 'requests' | 'limits';

/** Parses the quantities of a list. */
export function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, Quantity.parse(amount)]));
}

/** Adds the amounts of `more` to `sums`. Mutates `sums`. */
export function addAmounts(sums: Amounts, more: Iterable<readonly [string, Quantity]>): void {
  for (const [name, amount] of more) sums.set(name, sums.get(name)?.add(amount) ?? amount);
}

/** Raises the amounts in `maxima` to those of `other` where these are greater. Mutates `maxima`. */
export function raiseAmounts(maxima: Amounts, other: Iterable<readonly [string, Quantity]>): void {
  for (const [name, amount] of other) {
    const known = maxima.get(name);
    if (known === undefined || amount.compare(known) > 0) maxima.set(name, amount);
  }
}

/** The amounts that count for one container. */
type ContainerAmounts = (container: Container, field: ResourceField) => Amounts;

const specAmounts: ContainerAmounts = ({ resources }, field) => amountsOf(resources?.[field]);

/**
 * The most that a pod's containers need at one time. This is the sum of regular and restartable init containers, or
 * the peak during initialization if that is greater. Pod-level resources are not included.
 * Upstream: AggregateContainerRequests and AggregateContainerLimits of k8s.io/component-helpers/resource/helpers.go
 */
export function containerResources(
  spec: PodSpec,
  field: ResourceField,
  ofContainer: ContainerAmounts = specAmounts,
): Amounts {
  const sums: Amounts = new Map();
  const restartable: Amounts = new Map();
  const greediest: Amounts = new Map();
  for (const container of spec.containers ?? []) addAmounts(sums, ofContainer(container, field));
  for (const container of spec.initContainers ?? []) {
    const amounts = ofContainer(container, field);
    if (container.restartPolicy === 'Always') {
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
