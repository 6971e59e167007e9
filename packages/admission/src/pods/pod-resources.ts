import type { Container, PodSpec } from '@apiserver/api/core/v1';
import { Quantity } from '@apiserver/apimachinery/values';

/** Amounts by resource name, as objects carry them. */
export type ResourceList = Readonly<Record<string, string>>;

/** Amounts by resource name, to count with. */
export type Amounts = Map<string, Quantity>;

/** Which amounts of a container or pod. */
export type ResourceField = 'requests' | 'limits';

/** The amounts of a list, parsed. */
export function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, Quantity.parse(amount)]));
}

/** The amounts of `more` added to those of `sums`, which it changes. */
export function addAmounts(sums: Amounts, more: Iterable<readonly [string, Quantity]>): void {
  for (const [name, amount] of more) sums.set(name, sums.get(name)?.add(amount) ?? amount);
}

/** The amounts in `maxima`, which it changes, raised to those of `other` where these are greater. */
export function raiseAmounts(maxima: Amounts, other: Iterable<readonly [string, Quantity]>): void {
  for (const [name, amount] of other) {
    const known = maxima.get(name);
    if (known === undefined || amount.compare(known) > 0) maxima.set(name, amount);
  }
}

/** What one container counts for. */
type ContainerAmounts = (container: Container, field: ResourceField) => Amounts;

const specAmounts: ContainerAmounts = ({ resources }, field) => amountsOf(resources?.[field]);

/**
 * What the containers of a pod need at most at one time: the regular ones and the restartable init containers together,
 * or the greediest moment before. Without what is said of the pod as a whole.
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

/** Whether a pod as a whole asks for cpu, memory or huge pages. Upstream: IsPodLevelResourcesSet */
export function hasPodResources({ resources }: PodSpec): boolean {
  const supported = (list: ResourceList | undefined) =>
    Object.keys(list ?? {}).some((name) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-'));
  return supported(resources?.requests) || supported(resources?.limits);
}

/** Nothing of cpu and memory is asked for, neither by the pod nor by its containers. Upstream: ComputePodQOS */
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
