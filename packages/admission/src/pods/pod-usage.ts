import type { Container, ContainerStatus, Pod } from '@apiserver/api/core/v1';
import {
  type Amounts,
  addAmounts,
  amountsOf,
  Quantity,
  type ResourceList,
  raiseAmounts,
} from '@apiserver/apimachinery/values';
import { containerResources, type ResourceField } from '@apiserver/resource-kit/pods';

const NONE = Quantity.of(0);

/**
 * The usage of a pod: the requests of the pod and its containers, or the allocated amounts if these are greater, and
 * its overhead. Only the named resources, if `names` is given.
 * Upstream: PodRequests and PodLimits of k8s.io/component-helpers/resource/helpers.go, with UseStatusResources
 */
export function podUsageAmounts({ spec, status }: Pod, field: ResourceField, names?: readonly string[]): Amounts {
  const read: ReadAmounts = (list) => amountsOf(names === undefined ? list : picked(list ?? {}, names));
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const byName = new Map(statuses.map((known) => [known.name, known]));
  const pending = (status?.conditions ?? []).find(({ type }) => type === 'PodResizePending');
  const isInfeasible = pending?.reason === 'Infeasible';
  const passing = new Set((spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== 'Always'));
  const amounts = containerResources(spec, field, (container, of) => {
    // The status of an init container that ends does not count.
    const known = passing.has(container) ? undefined : byName.get(container.name);
    return containerUsage(container, read, { field: of, status: known, isInfeasible });
  });
  for (const [name, amount] of read(spec.resources?.[field])) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) amounts.set(name, amount);
  }
  const overhead = [...read(spec.overhead)];
  // Overhead is added only to limits that are not zero.
  const isLimited = (name: string) => (amounts.get(name) ?? NONE).compare(NONE) !== 0;
  addAmounts(amounts, field === 'limits' ? overhead.filter(([name]) => isLimited(name)) : overhead);
  return amounts;
}

type ReadAmounts = (list: ResourceList | undefined) => Amounts;

function picked(list: ResourceList, names: readonly string[]): ResourceList {
  return Object.fromEntries(names.flatMap((name) => (list[name] === undefined ? [] : [[name, list[name]]])));
}

interface ContainerState {
  readonly field: ResourceField;
  readonly status: ContainerStatus | undefined;
  readonly isInfeasible: boolean;
}

/** An infeasible resize does not count. Upstream: determineContainerReqs and determineContainerLimits */
function containerUsage(
  { resources }: Container,
  read: ReadAmounts,
  { field, status, isInfeasible }: ContainerState,
): Amounts {
  const requested = read(resources?.[field]);
  if (status?.resources === undefined) return requested;
  const given = read(status.resources[field]);
  if (field === 'requests') raiseAmounts(given, read(status.allocatedResources));
  if (!isInfeasible) raiseAmounts(given, requested);
  return given;
}
