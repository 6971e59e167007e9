import type { Container, ContainerStatus, Pod } from '@apiserver/api/core/v1';
import { type Amounts, addAmounts, amountsOf, raiseAmounts } from '@apiserver/apimachinery/values';
import { containerResources, type ResourceField } from './pod-resources.js';

/**
 * The usage of a pod: the requests of the pod and its containers, or the allocated amounts if these are greater, and
 * its overhead.
 * Upstream: PodRequests and PodLimits of k8s.io/component-helpers/resource/helpers.go, with UseStatusResources
 */
export function podUsageAmounts({ spec, status }: Pod, field: ResourceField): Amounts {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const byName = new Map(statuses.map((known) => [known.name, known]));
  const pending = (status?.conditions ?? []).find(({ type }) => type === 'PodResizePending');
  const isInfeasible = pending?.reason === 'Infeasible';
  const amounts = containerResources(spec, field, (container, of) =>
    containerUsage(container, of, byName.get(container.name), isInfeasible),
  );
  for (const [name, amount] of amountsOf(spec.resources?.[field])) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) amounts.set(name, amount);
  }
  const overhead = [...amountsOf(spec.overhead)];
  // Overhead is added only to limits that exist.
  addAmounts(amounts, field === 'limits' ? overhead.filter(([name]) => amounts.has(name)) : overhead);
  return amounts;
}

/** An infeasible resize does not count. Upstream: determineContainerReqs and determineContainerLimits */
function containerUsage(
  { resources }: Container,
  field: ResourceField,
  status: ContainerStatus | undefined,
  isInfeasible: boolean,
): Amounts {
  const requested = amountsOf(resources?.[field]);
  if (status?.resources === undefined) return requested;
  const given = amountsOf(status.resources[field]);
  if (field === 'requests') raiseAmounts(given, amountsOf(status.allocatedResources));
  if (!isInfeasible) raiseAmounts(given, requested);
  return given;
}
