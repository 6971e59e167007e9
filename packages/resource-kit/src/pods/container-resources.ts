import type { Container, PodSpec } from '@apiserver/api/core/v1';
import { type Amounts, addAmounts, amountsOf, raiseAmounts } from '@apiserver/apimachinery/values';

/** Selects the requests or the limits of a container or pod. */
export type ResourceField = 'requests' | 'limits';

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
    }
    raiseAmounts(greediest, besideRestartable(container, amounts, restartable));
  }
  raiseAmounts(sums, greediest);
  return sums;
}

/**
 * The amounts in use while an init container runs. Only those that it names: others are not above what the restartable
 * ones took before.
 */
function besideRestartable({ restartPolicy }: Container, amounts: Amounts, restartable: Amounts): Amounts {
  return new Map(
    [...amounts].map(([name, amount]) => {
      const taken = restartable.get(name);
      if (taken === undefined) return [name, amount];
      return [name, restartPolicy === 'Always' ? taken : amount.add(taken)];
    }),
  );
}
